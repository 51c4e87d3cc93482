#!lua
-- Purpose: the last change of a claim that is handed back: the run is ready again at once.
-- KEYS: run leases timers events active waiting aside ready
-- ARGV: token, revision, run id, bits of the new activation, field, value, …
-- RETURNS: ok | look | stale | lost
-- Atomic because: between token and activation the run would have no way forward.
-- @include run-keys
-- @include ready
-- @include refusal
-- @include changes
local token, mark, id, bits = unpack(ARGV, 1, 4)

local head = redis.pcall('HMGET', at.run, 'T', 'R', 'X', 'K', 'A', 'C')
local refused, revision = refusal(head, token, mark)
if refused then
  return refused
end
local fields = changes(revision, head[4], 5)
fields[#fields + 1], fields[#fields + 2] = 'V', token
ready(at, id, { A = head[5], C = head[6] or 0 }, bits, fields)
redis.call('ZREM', at.leases, id)
redis.call('HDEL', at.run, 'T', 'P')
return APPLIED
