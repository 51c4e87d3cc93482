#!lua
-- Purpose: says where a record and what surrounds it disagree, and mends it when asked to.
-- KEYS: run leases timers events active waiting aside ready completed failed cancelled names
-- ARGV: look or mend, run id, lane, workflow, bits for a new activation, activation budget, set-aside error, error of a broken record
-- RETURNS: { fault, … }
-- Atomic because: look and repair see one state, so nothing that works is taken for broken.
-- @include run-keys
-- @include now
-- @include record
-- @include is-lane
-- @include bury
-- @include ready
-- @include is-deliverable
local at = runKeys(KEYS)
local mode, id, lane, workflow, bits, budget, failure, brokenError = unpack(ARGV)
local names = KEYS[12]
local INDEX = { q = at.active, r = at.active, w = at.waiting, a = at.aside, c = KEYS[9], f = KEYS[10], x = KEYS[11] }
local now = nowMs()

local faults = {}
--- Notes a fault, and mends it when this call is to.
local function atOdds(fault, mend)
  faults[#faults + 1] = fault
  if mode == 'mend' then
    mend()
  end
end
local function takeOut(key)
  return function()
    redis.call('ZREM', key, id)
  end
end
local function isIn(key)
  return redis.call('ZSCORE', key, id)
end
local function placed(list)
  local found = {}
  for _, key in ipairs(list) do
    if isIn(key) then
      found[#found + 1] = key
    end
  end
  return found
end
local indexes = { at.active, at.waiting, at.aside, KEYS[9], KEYS[10], KEYS[11] }

local function tidyMissing()
  for _, key in ipairs(placed({ at.leases, at.timers, unpack(indexes) })) do
    atOdds('orphan-entry-of-a-list', takeOut(key))
  end
end

--- A record that cannot be read: set aside where that makes it readable, else only out of what workers look at.
local function setBrokenAside()
  local found = redis.pcall('HMGET', at.run, 'L', 'C', 'R', 'X')
  local isMendable = not found.err and found[1] == lane and isLane(lane)
  atOdds(isMendable and 'unreadable-record' or 'destroyed-record', function()
    if isMendable then
      for _, key in ipairs(indexes) do
        redis.call('ZREM', key, id)
      end
      redis.call('HSET', at.run, 'F', '1')
      for i, name in ipairs({ 'L', 'C', 'R', 'X' }) do
        if not isWellFormed(name, found[i]) then
          redis.call('HDEL', at.run, name)
        end
      end
      redis.call('HDEL', at.run, 'T', 'A', 'U', 'P')
      finish(at, id, { C = found[2] }, 'a', now, { 'Z', brokenError })
    else
      redis.call('ZREM', at.leases, id)
      redis.call('ZREM', at.timers, id)
    end
  end)
end

local function mendIndex(record)
  local right = INDEX[record.S]
  local found = placed(indexes)
  if #found ~= 1 or found[1] ~= right then
    atOdds('wrong-index', function()
      redis.call('ZADD', right, tonumber(record.C) or 0, id)
      for _, key in ipairs(found) do
        if key ~= right then
          redis.call('ZREM', key, id)
        end
      end
    end)
  end
  if redis.call('SISMEMBER', names, workflow) == 0 then
    atOdds('workflow-without-a-name', function()
      redis.call('SADD', names, workflow)
    end)
  end
end

local function mendTerminal(record)
  if record.T or record.A or record.U then
    atOdds('ended-run-with-a-way-forward', function()
      redis.call('HDEL', at.run, 'T', 'A', 'U', 'P')
    end)
  end
  for _, key in ipairs(placed({ at.leases, at.timers })) do
    atOdds('orphan-entry-of-a-list', takeOut(key))
  end
end

local function makeReady(record)
  return function()
    if record.A and not isDeliverable(at.ready, record.A) then
      record.A = nil
    end
    ready(at, id, record, bits, {})
  end
end

local function mendHeld(record)
  if not isIn(at.leases) then
    return atOdds('claim-without-lease', function()
      if bury(at, id, record, now, tonumber(budget), failure) then
        makeReady(record)()
      end
      record.S = redis.call('HGET', at.run, 'S')
    end)
  end
  if record.A then
    atOdds('claim-beside-activation', function()
      redis.call('HDEL', at.run, 'A')
    end)
  end
  if record.S ~= 'r' then
    atOdds('claim-of-a-run-that-does-not-run', function()
      redis.call('HSET', at.run, 'S', 'r')
      record.S = 'r'
    end)
  end
end

local function mendFree(record)
  if isIn(at.leases) then
    atOdds('orphan-entry-of-a-list', takeOut(at.leases))
  end
  local fault
  if record.S == 'r' then
    fault = 'running-without-claim'
  elseif record.S == 'q' and not record.A then
    fault = 'queued-without-activation'
  elseif record.S == 'q' and not isDeliverable(at.ready, record.A) then
    fault = 'activation-lost'
  elseif record.S == 'w' and record.A then
    fault = 'waiting-beside-activation'
  elseif record.S == 'w' and not tonumber(record.U) then
    -- Nothing would ever wake it. Its owner finds out from the journal what it waits for.
    fault = 'waiting-without-due-time'
  end
  if fault then
    return atOdds(fault, function()
      makeReady(record)()
      record.S = 'q'
    end)
  end
end

local function mendTimer(record)
  local due = isIn(at.timers)
  local dueAt = record.S == 'w' and tonumber(record.U)
  if dueAt and tonumber(due) ~= dueAt then
    atOdds('waiting-without-timer', function()
      redis.call('ZADD', at.timers, record.U, id)
    end)
  elseif due and not dueAt then
    atOdds('orphan-entry-of-a-list', takeOut(at.timers))
  end
end

local record = readRecord(at.run)
if not record and redis.call('EXISTS', at.run) == 0 then
  tidyMissing()
elseif not record or not INDEX[record.S] or record.L ~= lane or not isLane(lane) then
  -- The caller read the lane before; a run that took the id since is looked at by the next call.
  if not record or not INDEX[record.S] or not isLane(record.L) then
    setBrokenAside()
  end
else
  if TERMINAL[record.S] then
    mendTerminal(record)
  elseif record.T then
    mendHeld(record)
    mendTimer(record)
  else
    mendFree(record)
    mendTimer(record)
  end
  mendIndex(record)
end
return faults
