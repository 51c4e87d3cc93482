--- The head of a record, in the order of HEAD_FIELDS in record-fields.ts.
local function readHead(key)
  return redis.call(
    'HMGET', key, 'F', 'S', 'L', 'D', 'I', 'Y', 'Z', 'T', 'V', 'R', 'N', 'A', 'O', 'U', 'K', 'X', 'J', 'C', 'B', 'E'
  )
end
