export { eventLog, type EventLog } from './event-log.js';
export { FakeClock, type FakeClockOptions } from './fake-clock.js';
export { fixedRandomness } from './fixed-randomness.js';
export { signalled, type SignalOptions, type Signals } from './signalled.js';
