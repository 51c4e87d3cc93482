--- Fields of a head, in the order of HEAD_FIELDS in record-fields.ts, and two more that a claim looks at.
local HEAD = { 'F', 'S', 'L', 'D', 'I', 'Y', 'Z', 'T', 'V', 'R', 'N', 'A', 'O', 'U', 'K', 'X', 'J', 'C', 'B', 'E', 'H', 'P' }
local STATUS, TOKEN, ACTIVATION, OWNER, DEAD_CLAIMS, BEGAN_AT = 2, 8, 12, 13, 15, 19

local function readHead(key)
  return redis.call('HMGET', key, unpack(HEAD, 1, 20))
end
