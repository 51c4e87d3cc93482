#!lua flags=no-writes
-- Purpose: the head of a record with the journal entry that its output refers to.
-- KEYS: run
-- ARGV: none
-- RETURNS: { head, entry or false }
-- Atomic because: the output and what it refers to belong to one state of the record.
-- @include head
local head = readHead(KEYS[1])
local reference = string.match(head[6] or '', '^@(%w+)$')
return { head, reference and redis.call('HGET', KEYS[1], reference) }
