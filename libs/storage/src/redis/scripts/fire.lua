#!lua
-- Purpose: wakes a waiting run whose timer is due.
-- KEYS: run leases timers events active waiting aside ready
-- ARGV: run id, lane, bits of the new activation, activation budget, set-aside error
-- RETURNS: { ready, entry id } | { aside } | { nothing }
-- Atomic because: the list that named the run is old; the timer leaves in the same step that makes the run ready.
-- @include run-keys
-- @include now
-- @include record
-- @include is-live
-- @include is-lane
-- @include bury
-- @include ready
local at = runKeys(KEYS)
local READY, ASIDE, NOTHING = 'ready', 'aside', 'nothing'
local id, lane, bits, budget, failure = unpack(ARGV)

local now = nowMs()
local record = readRecord(at.run)
if not record or record.S ~= 'w' or not tonumber(record.U) or not isLane(record.L) then
  redis.call('ZREM', at.timers, id)
  return { NOTHING }
elseif record.L ~= lane then
  return { NOTHING }
elseif tonumber(record.U) > now then
  redis.call('ZADD', at.timers, record.U, id)
  return { NOTHING }
elseif isLive(at.leases, id, record, now) then
  redis.call('ZREM', at.timers, id)
  return { NOTHING }
elseif record.T and not bury(at, id, record, now, tonumber(budget), failure) then
  return { ASIDE }
end
local entryId = ready(at, id, record, bits, {})
return entryId and { READY, entryId } or { NOTHING }
