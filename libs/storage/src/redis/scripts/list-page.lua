#!lua flags=no-writes
-- Purpose: the newest runs of many indexes, merged: at most one page, whatever the indexes hold.
-- KEYS: indexes
-- ARGV: page size, least created at, created at that the page stays before, then the place after which it begins: created at and
--       run id; all but the size may be empty
-- RETURNS: { created at, run id, … }, newest first, of one instant the greater id first, each once
-- Atomic because: a run that changes its index in between would be shown twice or not at all.
local size, least, before, placeScore, placeId = tonumber(ARGV[1]), tonumber(ARGV[2]) or -math.huge, ARGV[3], ARGV[4], ARGV[5]
-- Each index gives a small part a round, so that what is read is about a page and not a page of every index.
local CHUNK = math.max(8, math.ceil(1.25 * size / math.max(1, #KEYS)))

local function rowOf(id, score)
  return { id = id, score = score }
end

--- The bytes of a row's id, ended by one that is less than any.
local function bytesOf(row)
  if not row.bytes then
    row.bytes = { string.byte(row.id, 1, -1) }
    row.bytes[#row.bytes + 1] = -1
  end
  return row.bytes
end

--- By bytes, as an index orders its members: `<` goes by the language that the server was started in.
local function isGreaterId(a, b)
  if a.id == b.id then
    return false
  end
  local aBytes, bBytes, at = bytesOf(a), bytesOf(b), 1
  while aBytes[at] == bBytes[at] do
    at = at + 1
  end
  return aBytes[at] > bBytes[at]
end

local function isNewer(a, b)
  if a.score ~= b.score then
    return a.score > b.score
  end
  return isGreaterId(a, b)
end

--- Rank of the first row of an index that may be on the page. Among runs of the place's own instant, however many they are, it is
--- searched by halves.
local function firstRank(index)
  if before ~= '' and (placeScore == '' or tonumber(before) <= tonumber(placeScore)) then
    return redis.call('ZCOUNT', index, before, '+inf')
  elseif placeScore == '' then
    return 0
  end
  local place = rowOf(placeId, tonumber(placeScore))
  local low = redis.call('ZCOUNT', index, '(' .. placeScore, '+inf')
  local high = low + redis.call('ZCOUNT', index, placeScore, placeScore)
  while low < high do
    local middle = math.floor((low + high) / 2)
    if isGreaterId(place, rowOf(redis.call('ZREVRANGE', index, middle, middle)[1], place.score)) then
      high = middle
    else
      low = middle + 1
    end
  end
  return low
end

local page = {}

--- Adds the next part of an index to the page; answers its last row, or nil when the index has no more.
local function take(index, rank)
  local rows = redis.call('ZREVRANGE', index, rank, rank + CHUNK - 1, 'WITHSCORES')
  local row
  for i = 1, #rows, 2 do
    row = rowOf(rows[i], tonumber(rows[i + 1]))
    if row.score < least then
      return nil
    end
    page[#page + 1] = row
  end
  return #rows == 2 * CHUNK and row or nil
end

--- Newest first, a run that two indexes have once, no more than fit.
local function settle()
  table.sort(page, isNewer)
  local kept = {}
  for _, row in ipairs(page) do
    local last = kept[#kept]
    if #kept < size and not (last and last.id == row.id and last.score == row.score) then
      kept[#kept + 1] = row
    end
  end
  page = kept
end

local open = {}
for _, index in ipairs(KEYS) do
  open[#open + 1] = { index = index, rank = firstRank(index) }
end
while #open > 0 do
  local full, left = page[size], {}
  for _, reading in ipairs(open) do
    -- What comes after a row that is older than a full page is older still.
    if not (full and reading.last and isNewer(full, reading.last)) then
      reading.last = take(reading.index, reading.rank)
      reading.rank = reading.rank + CHUNK
      left[#left + 1] = reading.last and reading or nil
    end
  end
  settle()
  open = left
end

local flat = {}
for _, row in ipairs(page) do
  flat[#flat + 1], flat[#flat + 2] = string.format('%.0f', row.score), row.id
end
return flat
