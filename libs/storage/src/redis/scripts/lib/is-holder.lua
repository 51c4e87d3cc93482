--- Is the token the record's? The field of a run that nobody holds may be there, and empty.
local function isHolder(stored, token)
  return stored == token and token ~= ''
end
