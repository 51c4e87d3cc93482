--- Redis time, ms since the epoch; one instant in all of a script. Effects are replicated, so reading the clock here is safe
--- and keeps workers' clocks out.
local nowOfScript
local function nowMs()
  if not nowOfScript then
    local time = redis.call('TIME')
    nowOfScript = time[1] * 1000 + math.floor(time[2] / 1000)
  end
  return nowOfScript
end
