#!lua
-- Purpose: says which entries of a lane no record names, and drops them when asked to.
-- KEYS: ready stream, then the run of each entry
-- ARGV: look or mend, then entry id and bits of each entry
-- RETURNS: { index of each entry that no record names, … }
-- Atomic because: a record that names the entry a moment later would lose its activation.
-- @include drop-entry
local mode, stream = ARGV[1], KEYS[1]
local orphans = {}
for i = 2, #KEYS do
  local entryId, bits = ARGV[2 * i - 2], ARGV[2 * i - 1]
  local activation = redis.pcall('HGET', KEYS[i], 'A')
  if activation ~= entryId .. ' ' .. bits then
    orphans[#orphans + 1] = i - 2
    if mode == 'mend' then
      dropEntry(stream, entryId, bits)
    end
  end
end
return orphans
