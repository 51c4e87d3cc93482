--- A field's value; nil when it is absent or was emptied.
local function filled(value)
  return value and value ~= '' and value or nil
end
