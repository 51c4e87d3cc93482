#!lua flags=no-writes
-- Purpose: looks for lapsed leases and due timers in every partition of one server.
-- KEYS: leases and timers of each partition, in turn
-- ARGV: most of each a partition, most in all
-- RETURNS: { now, next timer (or empty), { lapsed, due } of each partition, in the order of the keys }
-- Atomic because: it need not be: what it names is a hint, every run named is checked again by the script that acts.
-- @include now
local each, rest = tonumber(ARGV[1]), tonumber(ARGV[2])
local now = nowMs()
local nextTimer
local function members(key)
  local found = redis.pcall('ZRANGEBYSCORE', key, '-inf', now, 'LIMIT', 0, math.min(each, rest))
  if found.err then
    return {}
  end
  rest = rest - #found
  return found
end

local partitions = {}
for i = 1, #KEYS, 2 do
  partitions[#partitions + 1] = { members(KEYS[i]), members(KEYS[i + 1]) }
  local later = redis.pcall('ZRANGEBYSCORE', KEYS[i + 1], '(' .. string.format('%.0f', now), '+inf', 'WITHSCORES', 'LIMIT', 0, 1)
  local at = not later.err and tonumber(later[2])
  if at and (not nextTimer or at < nextTimer) then
    nextTimer = at
  end
end
return { now, nextTimer and string.format('%.0f', nextTimer) or '', partitions }
