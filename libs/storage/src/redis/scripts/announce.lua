#!lua
-- Purpose: says that a worker lives, and forgets workers that lapsed long ago.
-- KEYS: workers expiry
-- ARGV: incarnation, announcement, ttl ms, how long lapsed ones are kept (ms)
-- RETURNS: instant at which the announcement lapses
-- Atomic because: an announcement without an expiry would stay for ever.
-- @include now
local workers, expiry = KEYS[1], KEYS[2]
local incarnation, announcement, ttlMs, keptMs = unpack(ARGV)

local now = nowMs()
redis.call('ZADD', expiry, now + ttlMs, incarnation)
redis.call('HSET', workers, incarnation, announcement)
local forgotten = redis.call('ZRANGEBYSCORE', expiry, '-inf', now - keptMs, 'LIMIT', 0, 100)
for _, gone in ipairs(forgotten) do
  redis.call('ZREM', expiry, gone)
  redis.call('HDEL', workers, gone)
end
return now + ttlMs
