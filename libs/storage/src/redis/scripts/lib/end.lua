-- @include run-keys
-- @include now
-- @include finish
-- @include refusal
-- @include changes
-- @include filled
--- See end.lua.
local function endRun(keys, args)
  local at = runKeys(keys)
  local token, mark, id, status = unpack(args, 1, 4)

  local head = redis.pcall('HMGET', at.run, 'T', 'R', 'X', 'K', 'A', 'C', 'S', 'P')
  local refused, revision = refusal(head, token, mark)
  if refused then
    return refused
  end
  local fields = changes(revision, head[4], args, 5)
  fields[#fields + 1], fields[#fields + 2] = 'V', token
  local record = { T = token, A = filled(head[5]), C = head[6], S = head[7], P = filled(head[8]) }
  finish(at, id, record, status, nowMs(), fields)
  return APPLIED
end
