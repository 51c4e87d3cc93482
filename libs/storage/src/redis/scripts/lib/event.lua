--- Appends to the live feed. A feed that somebody broke by hand must not stop a run, hence the pcall.
local function appendEvent(at, id, status)
  redis.pcall('XADD', at.events, 'MAXLEN', '~', 10000, '*', 'r', id, 's', status)
end
