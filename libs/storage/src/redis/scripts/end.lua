#!lua
-- Purpose: the last change of a run by its owner: it completed, failed, was cancelled or is set aside.
-- KEYS: run leases timers events active waiting aside ready ended
-- ARGV: token, revision, run id, status, field, value, …
-- RETURNS: ok | look | stale | lost
-- Atomic because: the end closes everything: lease, activation, timer and index agree with the status.
-- @include run-keys
-- @include now
-- @include finish
-- @include refusal
-- @include changes
local token, mark, id, status = unpack(ARGV, 1, 4)

local head = redis.pcall('HMGET', at.run, 'T', 'R', 'X', 'K', 'A', 'C')
local refused, revision = refusal(head, token, mark)
if refused then
  return refused
end
local fields = changes(revision, head[4], 5)
fields[#fields + 1], fields[#fields + 2] = 'V', token
finish(at, id, { A = head[5], C = head[6] }, status, nowMs(), fields)
return APPLIED
