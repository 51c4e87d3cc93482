#!lua
-- Purpose: gives a run to the holder of its current activation.
-- KEYS: run leases timers events active waiting aside ready
-- ARGV: run id, lane, entry id, entry bits, token bits, owner, lease ms, activation budget, set-aside error
-- RETURNS: { claimed, now, head } | { dropped } | { busy }
-- Atomic because: of two who hold a copy of an activation one gets the run; entry, token and lease change together, so a
-- live claim and an activation never exist together.
-- @include run-keys
-- @include now
-- @include record
-- @include is-live
-- @include bury
-- @include head
local CLAIMED, DROPPED, BUSY = 'claimed', 'dropped', 'busy'
local id, lane, entryId, entryBits, tokenBits, owner, leaseMs, budget, failure = unpack(ARGV)

local now = nowMs()
local record = readRecord(at.run)
if record and record.T and string.match(record.T, '%.(.*)$') == tokenBits then
  return { CLAIMED, now, readHead(at.run) }
end
local isCurrent = record and not TERMINAL[record.S] and record.L == lane and record.A == entryId .. ' ' .. entryBits
if not isCurrent then
  dropEntry(at.ready, entryId, entryBits)
  return { DROPPED }
elseif isLive(at.leases, id, record, now) then
  return { BUSY }
elseif record.T and not bury(at, id, record, now, tonumber(budget), failure) then
  return { DROPPED }
end

local epoch = (tonumber(record.H) or 0) + 1
redis.call('ZADD', at.leases, now + leaseMs, id)
dropEntry(at.ready, entryId, entryBits)
redis.call('HSET', at.run, 'S', 'r', 'T', string.format('%d.%s', epoch, tokenBits), 'H', epoch, 'O', owner, 'B', record.B or now)
redis.call('HDEL', at.run, 'A', 'P')
return { CLAIMED, now, readHead(at.run) }
