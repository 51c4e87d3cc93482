#!lua
-- Purpose: the last change of a claim whose run only waits: releases it, and leaves a timer when the run waits for one.
-- KEYS: run leases timers events active waiting
-- ARGV: token, revision, run id, inbox counter last looked at, wake at (or empty), field, value, …
-- RETURNS: ok | look | stale | lost
-- Atomic because: what came into the inbox since the owner looked would otherwise wake nobody.
-- @include park
return park(KEYS, ARGV)
