#!lua flags=no-writes
-- Purpose: the head of a record with the journal entry that its output refers to.
-- KEYS: run
-- ARGV: 't' leaves out the input of a run that is not terminal; or none
-- RETURNS: { head, entry or false }
-- Atomic because: the output and what it refers to belong to one state of the record.
-- @include head
local INPUT, OUTPUT = 5, 6
local function isTerminal()
  return string.find(redis.call('HGET', KEYS[1], 'S') or '', '^[cfxa]$')
end
if ARGV[1] == 't' and not isTerminal() then
  -- No record has a field without a name.
  HEAD[INPUT] = ''
end
local head = readHead(KEYS[1])
local reference = string.match(head[OUTPUT] or '', '^@(%w+)$')
return { head, reference and redis.call('HGET', KEYS[1], reference) }
