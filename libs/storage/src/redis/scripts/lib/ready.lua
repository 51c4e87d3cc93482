-- @include event
--- Makes an open run that nobody holds ready: the one way into a lane. Appends an activation unless the record names one;
--- `fields` are written with it. Answers the entry's id, or false when there was an activation before. Indexes and lane come
--- first: a hand may have left another type there, and a write that fails must not have taken anything from the run.
local function ready(at, id, record, bits, fields)
  redis.call('ZADD', at.active, tonumber(record.C) or 0, id)
  if record.S == 'w' then
    redis.call('ZREM', at.waiting, id)
  end
  local entryId = not record.A and redis.call('XADD', at.ready, '*', 'r', id, 'b', bits)
  if record.S == 'w' then
    redis.call('ZREM', at.timers, id)
  end
  if entryId then
    redis.call('HSET', at.run, 'S', 'q', 'A', entryId .. ' ' .. bits, unpack(fields))
  else
    redis.call('HSET', at.run, 'S', 'q', unpack(fields))
  end
  if record.U then
    redis.call('HDEL', at.run, 'U')
  end
  appendEvent(at, id, 'q')
  return entryId
end
