#!lua flags=no-writes
-- Purpose: how many members each index has.
-- KEYS: indexes
-- ARGV: none
-- RETURNS: { count of each index }
-- Atomic because: a run that changes its index in between would be counted twice or not at all.
local counts = {}
for i, index in ipairs(KEYS) do
  local count = redis.pcall('ZCARD', index)
  counts[i] = type(count) == 'number' and count or 0
end
return counts
