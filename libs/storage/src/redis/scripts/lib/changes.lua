--- What every applied change of an owner writes: the next revision, its fields (ARGV from `first`), and the end of a row
--- of claims that died, because it is progress.
local function changes(revision, deadClaims, first)
  local fields = { 'R', revision + 1 }
  if deadClaims and deadClaims ~= '0' then
    fields[3], fields[4] = 'K', '0'
  end
  for i = first, #ARGV do
    fields[#fields + 1] = ARGV[i]
  end
  return fields
end
