--- Redis time, ms since the epoch. Effects are replicated, so reading the clock here is safe and keeps workers' clocks out.
local function nowMs()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
