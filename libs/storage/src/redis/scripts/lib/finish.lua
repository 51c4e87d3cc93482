-- @include drop-entry
-- @include event
--- Ends a run: claim, activation, timer and its place among the unfinished go; `fields` are written with the status.
local function finish(at, id, record, status, now, fields)
  -- Indexes first: a hand may have left another type there, and a write that fails must not have taken anything from the run.
  redis.call('ZADD', status == 'a' and at.aside or at.ended, tonumber(record.C) or now, id)
  redis.call('ZREM', at.active, id)
  -- A running run is in no other index and has no timer.
  if record.S ~= 'r' then
    redis.call('ZREM', at.waiting, id)
    redis.call('ZREM', at.timers, id)
    if status ~= 'a' then
      redis.call('ZREM', at.aside, id)
    end
  end
  if record.A then
    local entryId, bits = string.match(record.A, '^(%S+) (%S+)$')
    if entryId then
      dropEntry(at.ready, entryId, bits)
    end
  end
  redis.call('ZREM', at.leases, id)
  -- Emptied, not deleted: a second command costs more than an empty field.
  for _, name in ipairs({ 'T', 'A', 'U', 'P' }) do
    if record[name] then
      fields[#fields + 1], fields[#fields + 2] = name, ''
    end
  end
  redis.call('HSET', at.run, 'S', status, 'E', now, unpack(fields))
  appendEvent(at, id, status)
end
