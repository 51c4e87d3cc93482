#!lua
-- Purpose: delivers again what was delivered long ago and not claimed.
-- KEYS: ready streams
-- ARGV: least idle ms, most, then a scan cursor for each stream
-- RETURNS: { { next cursor of each stream }, { stream index, entry id, run id, bits, … } }
-- Atomic because: it need not be: delivery is no claim.
-- @include entries
local PAGE, MOST_PAGES = 100, 10
local idleMs, rest = ARGV[1], tonumber(ARGV[2])
local cursors, out = {}, {}

local function reclaimStream(index, stream, cursor)
  for _ = 1, MOST_PAGES do
    if rest <= 0 then
      return cursor
    end
    local page = redis.pcall('XAUTOCLAIM', stream, 'g', 'w', idleMs, cursor, 'COUNT', math.min(rest, PAGE))
    if page.err then
      return '0-0'
    end
    for _, id in ipairs(page[3] or {}) do
      redis.call('XACK', stream, 'g', id)
    end
    rest = rest - collect(out, index, stream, page[2])
    cursor = page[1]
    if cursor == '0-0' then
      return cursor
    end
  end
  return cursor
end

for index, stream in ipairs(KEYS) do
  cursors[index] = reclaimStream(index, stream, ARGV[index + 2])
end
return { cursors, out }
