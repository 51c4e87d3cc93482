--- A record that names no lane cannot be made ready. It leaves the lists of what is due, or it would hide the others for
--- ever, and stays in its index, where the auditor finds it.
local function isLane(text)
  return string.match(text, '^[^|]+|[^|]+|[1-9]%d*$') ~= nil
end
