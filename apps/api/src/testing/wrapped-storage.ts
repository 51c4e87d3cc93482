import { type Inspector, StoreUnavailable } from '@millrace/durable';
import type { MemoryStorage } from '@millrace/storage';
import type { ApiStorage } from '../namespaces/api-storage.js';

/** A store with some calls of its read path replaced. */
export function withInspector(storage: MemoryStorage, replaced: Partial<Inspector>): ApiStorage {
  const inspector = new Proxy<Inspector>(storage.inspector, { get: (target, name) => Reflect.get(replaced, name) ?? bound(target, name) });
  return { runs: storage.runs, registry: storage.registry, inspector, ping: () => storage.ping(), close: () => storage.close() };
}

/** A store with a readiness of its own. */
export function withPing(storage: MemoryStorage, ping: () => Promise<unknown>): ApiStorage {
  return { ...withInspector(storage, {}), ping };
}

/** A store no call of which is answered while it is down. */
export function withOutage(storage: MemoryStorage): ApiStorage & { isDown: boolean } {
  const state = {
    isDown: false,
    runs: guarded(storage.runs),
    inspector: guarded(storage.inspector),
    registry: guarded(storage.registry),
    ping: () => (state.isDown ? refuse('ping') : storage.ping()),
    close: () => storage.close(),
  };
  return state;

  function guarded<T extends object>(port: T): T {
    return new Proxy(port, { get: (target, name) => (state.isDown ? () => refuse(String(name)) : bound(target, name)) });
  }
}

function bound(target: object, name: string | symbol): unknown {
  const member: unknown = Reflect.get(target, name);
  return typeof member === 'function' ? member.bind(target) : member;
}

function refuse(call: string): Promise<never> {
  return Promise.reject(new StoreUnavailable(call));
}
