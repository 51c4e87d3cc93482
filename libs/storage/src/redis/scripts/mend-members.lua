#!lua
-- Purpose: says which members of a list (leases, timers, an index) have no record, or one of another workflow than the
-- index is for, and takes them out when asked to.
-- KEYS: the list, then the run of each member
-- ARGV: look or mend, workflow of the index (or empty), then the run id of each member
-- RETURNS: { index of each member that does not belong there, … }
-- Atomic because: a run that is submitted a moment later would lose its place.
local mode, workflow, list = ARGV[1], ARGV[2], KEYS[1]
local orphans = {}
for i = 2, #KEYS do
  local lane = redis.pcall('HGET', KEYS[i], 'L')
  local isForeign = type(lane) == 'string' and workflow ~= '' and string.match(lane, '^[^|]+|([^|]+)|') ~= workflow
  if isForeign or redis.call('EXISTS', KEYS[i]) == 0 then
    orphans[#orphans + 1] = i - 2
    if mode == 'mend' then
      redis.call('ZREM', list, ARGV[i + 1])
    end
  end
end
return orphans
