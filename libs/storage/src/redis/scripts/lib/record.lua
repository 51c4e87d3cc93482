--- Statuses in which no worker touches a run.
local TERMINAL = { c = true, f = true, x = true, a = true }

--- The fields that transitions look at; nil when the key holds no readable record (gone, another type, a field cut out).
local function readRecord(key)
  local names = { 'F', 'S', 'L', 'T', 'A', 'C', 'H', 'B', 'O', 'K', 'P', 'N', 'X', 'U', 'E' }
  local values = redis.pcall('HMGET', key, unpack(names))
  if values.err then
    return nil
  end
  local record = {}
  for i, name in ipairs(names) do
    if values[i] and values[i] ~= '' then
      record[name] = values[i]
    end
  end
  if record.F and record.S and record.L then
    return record
  end
  return nil
end
