--- Keys of one run and of what surrounds it in its partition, in the order of StoreKeys.ofRun.
local at = {
  run = KEYS[1],
  leases = KEYS[2],
  timers = KEYS[3],
  events = KEYS[4],
  active = KEYS[5],
  waiting = KEYS[6],
  aside = KEYS[7],
  ready = KEYS[8],
  ended = KEYS[9],
}
