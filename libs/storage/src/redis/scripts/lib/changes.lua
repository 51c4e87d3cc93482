--- What every applied change of an owner writes: the next revision, its fields (`args` from `first`), and the end of a row
--- of claims that died, because it is progress.
local function changes(revision, deadClaims, args, first)
  local fields = { 'R', revision + 1 }
  if deadClaims and deadClaims ~= '0' then
    fields[3], fields[4] = 'K', '0'
  end
  for i = first, #args do
    fields[#fields + 1] = args[i]
  end
  return fields
end
