/** Anything with a way to end it: `close`, `stop`, `disconnect` or `quit`, tried in this order. */
export interface Closable {
  close?(): unknown;
  stop?(): unknown;
  disconnect?(): unknown;
  quit?(): unknown;
}

/** Registers a resource (or the promise of one) and hands it back. */
export type Track = <T extends Closable>(resource: T | Promise<T>) => Promise<T>;

/**
 * Makes a `track` function whose resources are ended, last opened first, after every test. One connection left open
 * keeps jest from ever exiting and no tool names it, so every server and connection of a spec goes through this.
 *
 * @param afterEach jest's hook, handed in because this module also loads outside of jest.
 * @example const track = tracked(afterEach); // then: const redis = await track(startRedis());
 * @throws AggregateError from the hook when something could not be ended; the others are ended all the same.
 */
export function tracked(afterEach: (hook: () => Promise<void>) => unknown): Track {
  const open: Closable[] = [];
  afterEach(() => endAll(open));
  return async (resource) => {
    const opened = await resource;
    open.push(opened);
    return opened;
  };
}

async function endAll(open: Closable[]): Promise<void> {
  const failures: unknown[] = [];
  for (let resource = open.pop(); resource !== undefined; resource = open.pop()) {
    try {
      await end(resource);
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) {
    throw new AggregateError(failures, `${failures.length} tracked resources could not be ended`);
  }
}

async function end(resource: Closable): Promise<void> {
  if (resource.close !== undefined) {
    await resource.close();
  } else if (resource.stop !== undefined) {
    await resource.stop();
  } else if (resource.disconnect !== undefined) {
    await resource.disconnect();
  } else if (resource.quit !== undefined) {
    await resource.quit();
  } else {
    throw new TypeError('a tracked resource has none of close(), stop(), disconnect(), quit()');
  }
}
