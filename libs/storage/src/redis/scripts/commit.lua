#!lua
-- Purpose: one change of a record whose owner goes on. One key, one writing command.
-- KEYS: run
-- ARGV: token, revision before it (with `!` when it opens an attempt), field, value, field, value, …
-- RETURNS: ok | look | stale | lost
-- Atomic because: it is a compare-and-set on token and revision, and no attempt is opened past a control request.
-- @include commit
return commit(KEYS, ARGV)
