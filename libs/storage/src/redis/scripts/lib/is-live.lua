--- Does somebody hold the run under a lease that has not lapsed? A claim without a lease counts as lapsed.
local function isLive(leases, id, record, now)
  if not record.T then
    return false
  end
  local lapsesAt = redis.call('ZSCORE', leases, id)
  return lapsesAt ~= false and tonumber(lapsesAt) > now
end
