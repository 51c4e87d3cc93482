#!lua
-- Purpose: gives a run to the holder of its current activation.
-- KEYS: run leases timers events active waiting aside ready
-- ARGV: run id, lane, entry id, entry bits, token bits, owner, lease ms, activation budget, set-aside error
-- RETURNS: { claimed, now, values of the head … } | { dropped } | { busy }
-- Atomic because: of two who hold a copy of an activation one gets the run; entry, token and lease change together, so a
-- live claim and an activation never exist together.
-- @include claim
return claim(KEYS, ARGV)
