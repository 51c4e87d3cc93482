--- Acknowledges and deletes a lane's entry, unless its stream id was given again to an entry with other bits.
local function dropEntry(stream, entryId, bits)
  local found = redis.pcall('XRANGE', stream, entryId, entryId)
  if found.err then
    return
  end
  if found[1] then
    local fields = found[1][2]
    for i = 1, #fields, 2 do
      if fields[i] == 'b' and fields[i + 1] ~= bits then
        return
      end
    end
    redis.call('XDEL', stream, entryId)
  end
  redis.pcall('XACK', stream, 'g', entryId)
end
