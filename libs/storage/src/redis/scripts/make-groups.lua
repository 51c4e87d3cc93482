#!lua
-- Purpose: makes the group of every lane named, where it is gone.
-- KEYS: ready streams
-- ARGV: none
-- RETURNS: how many were made
-- Atomic because: it need not be.
local made = 0
for _, stream in ipairs(KEYS) do
  -- At 0, not at the end: what was appended before the group was lost is delivered too.
  local answer = redis.pcall('XGROUP', 'CREATE', stream, 'g', '0', 'MKSTREAM')
  if not answer.err then
    made = made + 1
  end
end
return made
