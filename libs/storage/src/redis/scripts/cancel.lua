#!lua
-- Purpose: asks for the end of a run. Nobody holds it: it ends here. Somebody holds it: the request waits for the owner.
-- KEYS: run leases timers events active waiting aside ready ended
-- ARGV: run id, lane, request id, reason, prefix of the bell channels
-- RETURNS: cancelled | cancelling | closed | missing | lane-changed
-- Atomic because: an owner must not claim or park between the look at its lease and the request.
-- @include run-keys
-- @include now
-- @include record
-- @include is-live
-- @include finish
local at = runKeys(KEYS)
local CANCELLED, CANCELLING, CLOSED, MISSING, LANE_CHANGED = 'cancelled', 'cancelling', 'closed', 'missing', 'lane-changed'
local id, lane, requestId, reason, bellPrefix = unpack(ARGV)

local record = readRecord(at.run)
if not record then
  return redis.call('EXISTS', at.run) == 1 and CLOSED or MISSING
elseif record.L ~= lane then
  return LANE_CHANGED
end
local earlierId = string.match(record.X or '', '^(%S+) ')
if TERMINAL[record.S] and record.S ~= 'a' then
  if earlierId ~= requestId then
    return CLOSED
  end
  -- A repetition. Only a request that an owner was to see is in the inbox counter; one that ended the run itself is not.
  local seen = '.' .. requestId
  return string.sub(record.N or '', -#seen) == seen and CANCELLING or CANCELLED
end

local now = nowMs()
local request = string.format('%s %d %s', requestId, now, reason)
if not isLive(at.leases, id, record, now) then
  finish(at, id, record, 'x', now, { 'X', request })
  return CANCELLED
elseif not earlierId then
  local count = tonumber(string.match(record.N or '', '^%d+')) or 0
  redis.call('HSET', at.run, 'X', request, 'N', string.format('%d.%s', count + 1, requestId))
  redis.call('PUBLISH', bellPrefix .. (record.O or ''), id)
end
return CANCELLING
