/** How long waits of a test may take. */
export interface SignalOptions {
  /** Of one wait, ms of real time. @defaultValue 2_000 */
  readonly limitMs?: number;
}

/** Named signals between the code under test and the test. */
export interface Signals<Value> {
  /** Raises a signal; it is kept until somebody waits for it. */
  raise(name: string, value: Value): void;
  /**
   * Takes the oldest signal of that name that nobody has taken yet, waiting for it if need be.
   *
   * @throws Error when the limit is over: `waited 2 s for 'run r1 parked'`, and which other signals lie untaken.
   */
  waitFor(name: string, limit?: SignalOptions): Promise<Value>;
  /** Signals of that name raised so far, taken or not. */
  count(name: string): number;
}

interface Waiter<Value> {
  take(value: Value): void;
}

const DEFAULT_LIMIT_MS = 2_000;
const LISTED_NAMES = 20;

/** Makes a set of named signals: a test waits for what happened, by name and with a limit, instead of sleeping. */
export function signalled<Value = void>(options: SignalOptions = {}): Signals<Value> {
  const untaken = new Map<string, Value[]>();
  const waiters = new Map<string, Waiter<Value>[]>();
  const counts = new Map<string, number>();
  return {
    raise(name, value) {
      counts.set(name, (counts.get(name) ?? 0) + 1);
      const waiter = waiters.get(name)?.shift();
      if (waiter === undefined) {
        untaken.set(name, [...(untaken.get(name) ?? []), value]);
      } else {
        waiter.take(value);
      }
    },
    waitFor(name, limit = options) {
      const queued = untaken.get(name) ?? [];
      if (queued.length > 0) {
        return Promise.resolve(queued.shift() as Value);
      }
      return waitInLine(name, limit.limitMs ?? options.limitMs ?? DEFAULT_LIMIT_MS);
    },
    count: (name) => counts.get(name) ?? 0,
  };

  function waitInLine(name: string, limitMs: number): Promise<Value> {
    const line = waiters.get(name) ?? [];
    waiters.set(name, line);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        line.splice(line.indexOf(waiter), 1);
        reject(new Error(`waited ${limitMs / 1_000} s for '${name}'; ${describeUntaken()}`));
      }, limitMs);
      const waiter: Waiter<Value> = {
        take(value) {
          clearTimeout(timer);
          resolve(value);
        },
      };
      line.push(waiter);
    });
  }

  function describeUntaken(): string {
    const names = [...untaken].filter(([, values]) => values.length > 0).map(([name]) => `'${name}'`);
    return names.length === 0 ? 'no other signal lies untaken' : `untaken: ${names.slice(0, LISTED_NAMES).join(', ')}`;
  }
}
