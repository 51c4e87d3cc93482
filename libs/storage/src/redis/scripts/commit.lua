#!lua
-- Purpose: one change of a record whose owner goes on. One key, one writing command.
-- KEYS: run
-- ARGV: token, revision before it (with `!` when it opens an attempt), field, value, field, value, …
-- RETURNS: ok | look | stale | lost
-- Atomic because: it is a compare-and-set on token and revision, and no attempt is opened past a control request.
-- @include refusal
-- @include changes
local head = redis.pcall('HMGET', KEYS[1], 'T', 'R', 'X', 'K')
local refused, revision = refusal(head, ARGV[1], ARGV[2])
if refused then
  return refused
end
redis.call('HSET', KEYS[1], unpack(changes(revision, head[4], 3)))
return APPLIED
