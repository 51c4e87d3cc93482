-- @include refusal
-- @include changes
--- See commit.lua.
local function commit(keys, args)
  local head = redis.pcall('HMGET', keys[1], 'T', 'R', 'X', 'K')
  local refused, revision = refusal(head, args[1], args[2])
  if refused then
    return refused
  end
  redis.call('HSET', keys[1], unpack(changes(revision, head[4], args, 3)))
  return APPLIED
end
