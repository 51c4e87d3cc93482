-- @include run-keys
-- @include now
-- @include record
-- @include is-live
-- @include bury
-- @include head
local CLAIMED, DROPPED, BUSY = 'claimed', 'dropped', 'busy'
--- See claim.lua.
local function claim(keys, args)
  local at = runKeys(keys)
  local id, lane, entryId, entryBits, tokenBits, owner, leaseMs, budget, failure = unpack(args)

  local now = nowMs()
  local record, head = readRecord(at.run, HEAD)
  if record and record.T and string.match(record.T, '%.(.*)$') == tokenBits then
    return { CLAIMED, now, unpack(head) }
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
  local token, beganAt = string.format('%d.%s', epoch, tokenBits), record.B or tostring(now)
  local fields = { 'S', 'r', 'T', token, 'H', epoch, 'O', owner, 'B', beganAt, 'A', '' }
  if record.P then
    fields[#fields + 1], fields[#fields + 2] = 'P', ''
  end
  redis.call('HSET', at.run, unpack(fields))
  head[STATUS], head[TOKEN], head[OWNER], head[BEGAN_AT] = 'r', token, owner, beganAt
  head[ACTIVATION], head[DEAD_CLAIMS] = false, record.K or false
  return { CLAIMED, now, unpack(head) }
end
