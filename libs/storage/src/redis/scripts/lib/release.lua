-- @include run-keys
-- @include ready
-- @include refusal
-- @include changes
-- @include filled
--- See release.lua.
local function release(keys, args)
  local at = runKeys(keys)
  local token, mark, id, bits = unpack(args, 1, 4)

  local head = redis.pcall('HMGET', at.run, 'T', 'R', 'X', 'K', 'A', 'C')
  local refused, revision = refusal(head, token, mark)
  if refused then
    return refused
  end
  local fields = changes(revision, head[4], args, 5)
  for _, value in ipairs({ 'V', token, 'T', '', 'P', '' }) do
    fields[#fields + 1] = value
  end
  ready(at, id, { A = filled(head[5]), C = head[6] or 0 }, bits, fields)
  redis.call('ZREM', at.leases, id)
  return APPLIED
end
