--- Keys of one run and of what surrounds it in its partition, in the order of StoreKeys.ofRun.
local function runKeys(keys)
  return {
    run = keys[1],
    leases = keys[2],
    timers = keys[3],
    events = keys[4],
    active = keys[5],
    waiting = keys[6],
    aside = keys[7],
    ready = keys[8],
    ended = keys[9],
  }
end
