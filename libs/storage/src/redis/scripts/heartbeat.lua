#!lua
-- Purpose: moves the leases of the claims that still hold their token. A lapsed lease comes back while nobody acted on it.
-- KEYS: leases of every partition named, then runs
-- ARGV: lease ms, how many leases keys, then for each run: index of its leases key, run id, token, inbox counter looked at
-- RETURNS: { now, { index of each lost claim }, { index of each run whose inbox counter moved } }
-- Atomic because: a token that is compared and a lease that is moved later could belong to different claims.
-- @include now
-- @include is-holder
local leaseMs, leasesCount = ARGV[1], tonumber(ARGV[2])
local now = nowMs()
local lost, moved = {}, {}
for i = 1, #KEYS - leasesCount do
  local leases, id, token, inbox = unpack(ARGV, 4 * i - 1, 4 * i + 2)
  local held = redis.pcall('HMGET', KEYS[leasesCount + i], 'T', 'N')
  if held.err or not isHolder(held[1], token) then
    lost[#lost + 1] = i - 1
  else
    redis.call('ZADD', KEYS[tonumber(leases)], now + leaseMs, id)
    if (held[2] or '') ~= inbox then
      moved[#moved + 1] = i - 1
    end
  end
end
return { now, lost, moved }
