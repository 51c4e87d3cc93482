#!lua
-- Purpose: makes a run and its first activation, unless its id is taken.
-- KEYS: run events active ready names
-- ARGV: run id, lane, input, digest, request id (also the bits of the first activation)
-- RETURNS: { created | existing | unreadable, status, digest, created at, lane, revision, began at, ended at }
-- Atomic because: two submissions of one id must not both find it free, and a record without an activation never runs.
-- @include submit
return submit(KEYS, ARGV)
