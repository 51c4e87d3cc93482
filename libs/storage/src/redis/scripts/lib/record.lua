--- Statuses in which no worker touches a run.
local TERMINAL = { c = true, f = true, x = true, a = true }

--- Values that transitions count with. One that is none would stop them half-way, or be asked for again and again.
local FORMS = { C = '^%d+$', R = '^%d+$', X = '^%S+ %d+ ' }

local function isWellFormed(name, value)
  local form = FORMS[name]
  return not form or not value or string.match(value, form) ~= nil
end

local RECORD = { 'F', 'S', 'L', 'T', 'A', 'C', 'H', 'B', 'O', 'K', 'P', 'N', 'X', 'U', 'E', 'R' }

--- The fields that transitions look at, by name, and what was read, in the order of `names`; nil when the key holds no
--- readable record (gone, another type, a field cut out, a value that is none).
local function readRecord(key, names)
  names = names or RECORD
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
  if not (record.F and record.S and record.L) then
    return nil
  end
  for name in pairs(FORMS) do
    -- What ended is counted with by nobody any more, and its result stays readable.
    if not TERMINAL[record.S] and not isWellFormed(name, record[name]) then
      return nil
    end
  end
  return record, values
end
