-- @include finish
--- Takes a lapsed claim out of the record and charges it: the only place where a dead claim is counted. The attempts that
--- were open under its token were charged when they were opened; a claim that opened none is charged to the activation
--- budget. False: the budget is used up and the run was set aside.
local function bury(at, id, record, now, budget, failure)
  local dead = tonumber(record.K) or 0
  if (tonumber(record.P) or 0) == 0 then
    dead = dead + 1
  end
  if dead >= budget then
    finish(at, id, record, 'a', now, { 'K', dead, 'Z', failure })
    return false
  end
  -- It is there already. An index of another type fails here, before the run has lost its claim.
  redis.call('ZADD', at.active, tonumber(record.C) or 0, id)
  redis.call('ZREM', at.leases, id)
  redis.call('HSET', at.run, 'K', dead, 'T', '', 'P', '')
  record.T, record.P, record.K = nil, nil, tostring(dead)
  return true
end
