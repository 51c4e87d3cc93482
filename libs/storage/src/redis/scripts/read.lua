#!lua
-- Purpose: takes undelivered activations from many lanes, at most so many in all. (COUNT of XREADGROUP is per stream.)
-- KEYS: ready streams, in the order in which they are to be emptied
-- ARGV: most
-- RETURNS: { stream index, entry id, run id, bits, … }
-- Atomic because: it need not be: delivery is no claim.
-- @include entries
local rest = tonumber(ARGV[1])
local function undelivered(stream)
  return redis.pcall('XREADGROUP', 'GROUP', 'g', 'w', 'COUNT', rest, 'STREAMS', stream, '>')
end

local out = {}
for index, stream in ipairs(KEYS) do
  if rest <= 0 then
    break
  end
  local answer = undelivered(stream)
  if answer and answer.err and string.find(answer.err, 'NOGROUP', 1, true) then
    -- At 0, not at the end: what was appended before the group was lost is delivered too.
    redis.call('XGROUP', 'CREATE', stream, 'g', '0', 'MKSTREAM')
    answer = undelivered(stream)
  end
  if answer and not answer.err then
    rest = rest - collect(out, index, stream, answer[1][2])
  end
end
return out
