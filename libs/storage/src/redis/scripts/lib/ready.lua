-- @include event
--- Makes an open run that nobody holds ready: the one way into a lane. Appends an activation unless the record names one;
--- `fields` are written with it. Answers the entry's id, or false when there was an activation before. The append comes
--- first: it is the only write here that can fail, and then nothing has changed.
local function ready(at, id, record, bits, fields)
  local entryId = not record.A and redis.call('XADD', at.ready, '*', 'r', id, 'b', bits)
  if record.S == 'w' then
    redis.call('ZREM', at.timers, id)
    redis.call('ZREM', at.waiting, id)
  end
  redis.call('ZADD', at.active, tonumber(record.C) or 0, id)
  if entryId then
    redis.call('HSET', at.run, 'S', 'q', 'A', entryId .. ' ' .. bits, unpack(fields))
  else
    redis.call('HSET', at.run, 'S', 'q', unpack(fields))
  end
  redis.call('HDEL', at.run, 'U')
  appendEvent(at, id, 'q')
  return entryId
end
