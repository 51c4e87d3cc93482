#!lua
-- Purpose: replaces the token of a claim whose owner found that writes of its were lost: a token belongs to one history.
-- KEYS: run leases
-- ARGV: run id, token, new token, lease ms
-- RETURNS: { renewed, head } | { lost }
-- Atomic because: the old token must be current at the moment in which the new one takes its place.
-- @include now
-- @include head
-- @include is-holder
local RENEWED, LOST = 'renewed', 'lost'
local run, leases = KEYS[1], KEYS[2]
local id, token, newToken, leaseMs = unpack(ARGV)

local held = redis.pcall('HMGET', run, 'T', 'F', 'S', 'L', 'R')
-- Without a revision that is a number no commit of anybody could be applied.
if held.err or not (held[2] and held[3] and held[4] and tonumber(held[5] or 0)) then
  return { LOST }
elseif held[1] ~= newToken then
  if not isHolder(held[1], token) then
    return { LOST }
  end
  redis.call('ZADD', leases, nowMs() + leaseMs, id)
  redis.call('HSET', run, 'T', newToken)
  redis.call('HDEL', run, 'P')
end
return { RENEWED, readHead(run) }
