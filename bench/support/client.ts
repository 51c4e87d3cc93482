import { type EventSink, RunClient, RunWatcher, systemClock, systemRandomness } from '@millrace/durable';
import { createPayloadCodec, RedisStorage } from '@millrace/storage';

/** A client of the library, as a program that submits runs opens it. */
export interface OpenClient {
  readonly storage: RedisStorage;
  readonly client: RunClient;
  /** The value of a stored payload; null when there is none. */
  readonly decode: (payload: string | null) => unknown;
  readonly close: () => Promise<void>;
}

/** On the namespace `default`, with the defaults of everything. */
export async function openClient(redisUrl: string): Promise<OpenClient> {
  const storage = await RedisStorage.open({ url: redisUrl, namespace: 'default' });
  const codec = createPayloadCodec();
  const { client, watcher } = clientOn(storage, codec);
  return {
    storage,
    client,
    decode: (payload) => (payload === null ? null : codec.decode(payload)),
    async close() {
      await watcher.close();
      await storage.close();
    },
  };
}

/** The client of an open storage; its watcher is closed before the storage. */
export function clientOn(
  { runs, inspector, registry }: RedisStorage,
  codec: ReturnType<typeof createPayloadCodec>,
  emit: EventSink = () => undefined,
): { readonly client: RunClient; readonly watcher: RunWatcher } {
  const [clock, random] = [systemClock, systemRandomness];
  const watcher = new RunWatcher({ inspector, clock, emit });
  return { watcher, client: new RunClient({ namespace: 'default', runs, inspector, registry, codec, clock, random, watcher }) };
}
