#!lua flags=no-writes
-- Purpose: the newest runs of many indexes, merged: at most one page, whatever the indexes hold.
-- KEYS: indexes
-- ARGV: page size, least created at, greatest created at (`(` before it excludes it), then the place after which the page begins:
--       created at and run id, both empty for the first page
-- RETURNS: { created at, run id, … }, newest first, of one instant the greater id first
-- Atomic because: a run that changes its index in between would be shown twice or not at all.
-- Runs of one instant that come before the place are passed by, so many rounds of so many rows at most.
local ROUNDS, ROWS = 100, 100
local size, least, greatest = tonumber(ARGV[1]), ARGV[2], ARGV[3]
local afterScore, afterId = tonumber(ARGV[4]), ARGV[5]

local page = {}
local function isNewer(a, b)
  if a.score ~= b.score then
    return a.score > b.score
  end
  return a.id > b.id
end
local function isBehind(score, id)
  return not afterScore or score < afterScore or (score == afterScore and id < afterId)
end

--- Adds what one index has for the page. What is older than a full page's last row cannot be on it.
local function merge(index)
  local added, chunk = 0, math.max(size, ROWS)
  for round = 0, ROUNDS do
    local last = page[size]
    local floor = last and string.format('%.0f', last.score) or least
    local rows = redis.call('ZREVRANGEBYSCORE', index, greatest, floor, 'WITHSCORES', 'LIMIT', round * chunk, chunk)
    for i = 1, #rows, 2 do
      local score = tonumber(rows[i + 1])
      if isBehind(score, rows[i]) then
        page[#page + 1] = { score = score, id = rows[i] }
        added = added + 1
      end
    end
    if #rows < 2 * chunk or added >= size then
      break
    end
  end
  if added > 0 then
    table.sort(page, isNewer)
    for i = #page, size + 1, -1 do
      page[i] = nil
    end
  end
end

for _, index in ipairs(KEYS) do
  merge(index)
end
local flat = {}
for _, row in ipairs(page) do
  flat[#flat + 1], flat[#flat + 2] = string.format('%.0f', row.score), row.id
end
return flat
