-- @include run-keys
-- @include event
-- @include refusal
-- @include changes
--- See park.lua.
local function park(keys, args)
  local at = runKeys(keys)
  local token, mark, id, inbox, wakeAt = unpack(args, 1, 5)

  local head = redis.pcall('HMGET', at.run, 'T', 'R', 'X', 'K', 'N', 'C')
  local refused, revision = refusal(head, token, mark)
  if refused then
    return refused
  elseif (head[5] or '') ~= inbox then
    return LOOK
  end

  local fields = changes(revision, head[4], args, 6)
  redis.call('ZADD', at.waiting, tonumber(head[6]) or 0, id)
  redis.call('ZREM', at.active, id)
  redis.call('ZREM', at.leases, id)
  if wakeAt ~= '' then
    redis.call('ZADD', at.timers, wakeAt, id)
    fields[#fields + 1], fields[#fields + 2] = 'U', wakeAt
  end
  redis.call('HSET', at.run, 'S', 'w', 'V', token, 'T', '', 'P', '', unpack(fields))
  appendEvent(at, id, 'w')
  return APPLIED
end
