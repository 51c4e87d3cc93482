#!lua
-- Purpose: makes a run and its first activation, unless its id is taken.
-- KEYS: run events active ready names
-- ARGV: run id, lane, input, digest, request id (also the bits of the first activation)
-- RETURNS: { created | existing | unreadable, status, digest, created at, lane, revision, began at, ended at }
-- Atomic because: two submissions of one id must not both find it free, and a record without an activation never runs.
-- @include now
-- @include ready
local CREATED, EXISTING, UNREADABLE = 'created', 'existing', 'unreadable'
local at = { run = KEYS[1], events = KEYS[2], active = KEYS[3], ready = KEYS[4] }
local names = KEYS[5]
local id, lane, input, digest, requestId = unpack(ARGV)
local inbox = '0.' .. requestId

local taken = redis.pcall('HMGET', at.run, 'S', 'D', 'C', 'L', 'R', 'N', 'B', 'E')
if taken.err then
  return { UNREADABLE }
elseif taken[1] then
  return { taken[6] == inbox and CREATED or EXISTING, taken[1], taken[2], taken[3], taken[4], taken[5], taken[7], taken[8] }
elseif redis.call('EXISTS', at.run) == 1 then
  return { UNREADABLE }
end

local now = nowMs()
redis.call('SADD', names, string.match(lane, '|([^|]*)|'))
ready(at, id, { C = now }, requestId, { 'F', '1', 'L', lane, 'I', input, 'D', digest, 'C', now, 'N', inbox })
return { CREATED, 'q', digest, tostring(now), lane, false, false, false }
