#!lua flags=no-writes
-- Purpose: how many entries of some lanes were never delivered. A claimed entry is deleted, so what is in the stream and
-- not pending is undelivered; the group's own lag is unknown once entries were deleted.
-- KEYS: ready streams
-- ARGV: none
-- RETURNS: the number
-- Atomic because: an entry delivered between the two counts would be counted twice.
local depth = 0
for _, stream in ipairs(KEYS) do
  local length = redis.pcall('XLEN', stream)
  local pending = redis.pcall('XPENDING', stream, 'g')
  if type(length) == 'number' then
    depth = depth + math.max(0, length - (pending[1] or 0))
  end
end
return depth
