local function isGreaterId(a, b)
  local aMs, aSeq = string.match(a, '^(%d+)-(%d+)$')
  local bMs, bSeq = string.match(b, '^(%d+)-(%d+)$')
  if aMs ~= bMs then
    return tonumber(aMs) > tonumber(bMs)
  end
  return tonumber(aSeq) > tonumber(bSeq)
end

--- Will the activation that a record names still be delivered to somebody? Its entry is there with its bits, and either the
--- group has not come to it or has it pending.
local function isDeliverable(stream, activation)
  local entryId, bits = string.match(activation, '^(%d+-%d+) (%S+)$')
  local found = entryId and redis.pcall('XRANGE', stream, entryId, entryId) or {}
  local fields = found[1] and found[1][2] or {}
  local carried = {}
  for i = 1, #fields, 2 do
    carried[fields[i]] = fields[i + 1]
  end
  if carried.b ~= bits or not bits then
    return false
  end
  for _, group in ipairs(redis.call('XINFO', 'GROUPS', stream)) do
    local named = {}
    for i = 1, #group, 2 do
      named[group[i]] = group[i + 1]
    end
    if named.name == 'g' then
      return isGreaterId(entryId, named['last-delivered-id']) or #redis.call('XPENDING', stream, 'g', entryId, entryId, 1) > 0
    end
  end
  -- Whoever reads the lane next makes the group at 0.
  return true
end
