-- @include drop-entry
-- @include event
--- Ends a run: claim, activation, timer and its place among the unfinished go; `fields` are written with the status.
local function finish(at, id, record, status, now, fields)
  -- First, because an index of another type fails here and then nothing has changed.
  redis.call('ZADD', status == 'a' and at.aside or at.ended, tonumber(record.C) or now, id)
  if record.A then
    local entryId, bits = string.match(record.A, '^(%S+) (%S+)$')
    if entryId then
      dropEntry(at.ready, entryId, bits)
    end
  end
  redis.call('ZREM', at.leases, id)
  redis.call('ZREM', at.timers, id)
  redis.call('ZREM', at.active, id)
  redis.call('ZREM', at.waiting, id)
  if status ~= 'a' then
    redis.call('ZREM', at.aside, id)
  end
  redis.call('HSET', at.run, 'S', status, 'E', now, unpack(fields))
  redis.call('HDEL', at.run, 'T', 'A', 'U', 'P')
  appendEvent(at, id, status)
end
