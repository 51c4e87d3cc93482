#!lua
-- Purpose: the last change of a run by its owner: it completed, failed, was cancelled or is set aside.
-- KEYS: run leases timers events active waiting aside ready ended
-- ARGV: token, revision, run id, status, field, value, …
-- RETURNS: ok | look | stale | lost
-- Atomic because: the end closes everything: lease, activation, timer and index agree with the status.
-- @include end
return endRun(KEYS, ARGV)
