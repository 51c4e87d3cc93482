--- Appends lane entries to `out` as stream index, entry id, run id, bits; drops those that name no run. Answers how many.
local function collect(out, index, stream, entries)
  local before = #out
  for _, entry in ipairs(entries) do
    local id, fields = entry[1], entry[2]
    local named = {}
    for i = 1, fields and #fields or 0, 2 do
      named[fields[i]] = fields[i + 1]
    end
    if named.r and named.b then
      out[#out + 1], out[#out + 2], out[#out + 3], out[#out + 4] = index - 1, id, named.r, named.b
    elseif id then
      redis.call('XACK', stream, 'g', id)
      redis.call('XDEL', stream, id)
    end
  end
  return (#out - before) / 4
end
