-- @include now
-- @include ready
local CREATED, EXISTING, UNREADABLE = 'created', 'existing', 'unreadable'
--- See submit.lua.
local function submit(keys, args)
  local at = { run = keys[1], events = keys[2], active = keys[3], ready = keys[4] }
  local names = keys[5]
  local id, lane, input, digest, requestId = unpack(args)
  local inbox = '0.' .. requestId

  local taken = redis.pcall('HMGET', at.run, 'S', 'D', 'C', 'L', 'R', 'N', 'B', 'E')
  if taken.err then
    return { UNREADABLE }
  elseif taken[1] then
    return { taken[6] == inbox and CREATED or EXISTING, taken[1], taken[2], taken[3], taken[4], taken[5], taken[7], taken[8] }
  elseif redis.call('EXISTS', at.run) == 1 then
    return { UNREADABLE }
  end

  local now = nowMs()
  redis.call('SADD', names, string.match(lane, '|([^|]*)|'))
  ready(at, id, { C = now }, requestId, { 'F', '1', 'L', lane, 'I', input, 'D', digest, 'C', now, 'N', inbox })
  return { CREATED, 'q', digest, tostring(now), lane, false, false, false }
end
