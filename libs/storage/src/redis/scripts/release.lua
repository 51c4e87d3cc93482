#!lua
-- Purpose: the last change of a claim that is handed back: the run is ready again at once.
-- KEYS: run leases timers events active waiting aside ready
-- ARGV: token, revision, run id, bits of the new activation, field, value, …
-- RETURNS: ok | look | stale | lost
-- Atomic because: between token and activation the run would have no way forward.
-- @include release
return release(KEYS, ARGV)
