#!lua
-- Purpose: takes over from a dead claim: buries it and makes the run ready again, or sets it aside.
-- KEYS: run leases timers events active waiting aside ready
-- ARGV: run id, lane, bits of the new activation, activation budget, set-aside error, owner proven dead (or empty: the lease decides)
-- RETURNS: { ready, entry id } | { aside } | { nothing }
-- Atomic because: the list that named the run is old; lease and token are looked at again and change together.
-- @include run-keys
-- @include now
-- @include record
-- @include is-live
-- @include is-lane
-- @include bury
-- @include ready
local at = runKeys(KEYS)
local READY, ASIDE, NOTHING = 'ready', 'aside', 'nothing'
local id, lane, bits, budget, failure, deadOwner = unpack(ARGV)

local now = nowMs()
local record = readRecord(at.run)
if not record or TERMINAL[record.S] or not record.T or not isLane(record.L) then
  redis.call('ZREM', at.leases, id)
  return { NOTHING }
elseif record.L ~= lane then
  return { NOTHING }
elseif deadOwner == '' and isLive(at.leases, id, record, now) then
  return { NOTHING }
elseif deadOwner ~= '' and record.O ~= deadOwner then
  return { NOTHING }
elseif not bury(at, id, record, now, tonumber(budget), failure) then
  return { ASIDE }
end
local entryId = ready(at, id, record, bits, {})
return entryId and { READY, entryId } or { NOTHING }
