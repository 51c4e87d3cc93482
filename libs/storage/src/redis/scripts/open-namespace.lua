#!lua
-- Purpose: writes what a namespace is made of, once, and answers what was written by the first.
-- KEYS: meta
-- ARGV: format, partitions
-- RETURNS: { format, partitions }
-- Atomic because: two who open a new namespace must agree on the number of partitions.
redis.call('HSETNX', KEYS[1], 'format', ARGV[1])
redis.call('HSETNX', KEYS[1], 'partitions', ARGV[2])
return redis.call('HMGET', KEYS[1], 'format', 'partitions')
