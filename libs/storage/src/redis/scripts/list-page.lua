#!lua flags=no-writes
-- Purpose: the newest runs of many indexes, merged: at most one page, whatever the indexes hold.
-- KEYS: indexes
-- ARGV: page size, least created at, greatest created at (`(` before it excludes it), then the place after which the page begins:
--       created at and run id, both empty for the first page
-- RETURNS: { created at, run id, … }, newest first, of one instant the greater id first
-- Atomic because: a run that changes its index in between would be shown twice or not at all.
local size, least, greatest = tonumber(ARGV[1]), ARGV[2], ARGV[3]
local afterScore, afterId = tonumber(ARGV[4]), ARGV[5]
-- Each index gives a small part a round, so that what is read is about a page and not a page of every index. The rounds are
-- bounded because runs of one instant that come before the place are passed by.
local CHUNK, MOST_ROUNDS = math.max(8, math.ceil(1.25 * size / math.max(1, #KEYS))), 1000

local page = {}
local function isNewer(a, b)
  if a.score ~= b.score then
    return a.score > b.score
  end
  return a.id > b.id
end
local function isBehind(row)
  return not afterScore or row.score < afterScore or (row.score == afterScore and row.id < afterId)
end

--- Adds the next part of an index to the page; answers its last row, or nil when the index has no more. `full`: the last
--- row of the page when the round began, nil when it had room.
local function take(index, offset, full)
  local floor = full and string.format('%.0f', full.score) or least
  local rows = redis.call('ZREVRANGEBYSCORE', index, greatest, floor, 'WITHSCORES', 'LIMIT', offset, CHUNK)
  local row
  for i = 1, #rows, 2 do
    row = { id = rows[i], score = tonumber(rows[i + 1]) }
    if isBehind(row) then
      page[#page + 1] = row
    end
  end
  return #rows == 2 * CHUNK and row or nil
end

local lastRows = {}
for round = 0, MOST_ROUNDS do
  local isDone, full = true, page[size]
  for i, index in ipairs(KEYS) do
    -- What comes after a row that is older than a full page is older still.
    local last = lastRows[i]
    if round == 0 or (last and not (full and isNewer(full, last))) then
      lastRows[i] = take(index, round * CHUNK, full)
      isDone = isDone and not lastRows[i]
    else
      lastRows[i] = nil
    end
  end
  table.sort(page, isNewer)
  for i = #page, size + 1, -1 do
    page[i] = nil
  end
  if isDone then
    break
  end
end

local flat = {}
for _, row in ipairs(page) do
  flat[#flat + 1], flat[#flat + 2] = string.format('%.0f', row.score), row.id
end
return flat
