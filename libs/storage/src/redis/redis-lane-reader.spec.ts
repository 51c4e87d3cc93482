import { describe, expect, it } from '@jest/globals';
import { type DeliveredActivation, StoreUnavailable, systemClock } from '@millrace/durable';
import type { RedisCaller, Reply, ScriptCall } from './connection/redis-caller.js';
import { StoreKeys } from './keys.js';
import { RedisLaneReader } from './redis-lane-reader.js';

const PARTITIONS = 3;
const DEAD = 1;
const lane = { queue: 'default', workflow: 'fulfil-order', version: 1 };

/** A cluster of one node a partition; one node does not answer, the others deliver one entry each time. */
function readerOfBrokenCluster(): RedisLaneReader {
  const script = async ({ name, partition }: ScriptCall): Promise<Reply> => {
    if (partition === DEAD) throw new StoreUnavailable(name);
    const entries = [0, '1-1', `of-${partition}`, 'bits'];
    return name === 'read' ? entries : [['0-0'], entries];
  };
  const topology = { groups: Array.from({ length: PARTITIONS }, (_, partition) => [partition]) };
  const caller = { script, topology } as unknown as RedisCaller;
  return new RedisLaneReader(caller, new StoreKeys('broken', PARTITIONS), [lane], systemClock);
}

describe('lanes of a cluster that has lost a node', () => {
  it.each(['read', 'reclaim'] as const)(
    '%s delivers what the other nodes gave out, and tells of the failure when there is nothing',
    async (verb) => {
      const reader = readerOfBrokenCluster();
      const deliver = (): Promise<DeliveredActivation[]> => (verb === 'read' ? reader.read(10) : reader.reclaim(1, 10));
      const outcomes: Array<string | string[]> = [];
      for (let turn = 0; turn < PARTITIONS; turn += 1) {
        outcomes.push(
          await deliver().then(
            (entries) => entries.map(({ runId }) => runId),
            (error: unknown) => (error as Error).constructor.name,
          ),
        );
      }
      expect(outcomes).toEqual(['StoreUnavailable', ['of-2', 'of-0'], ['of-0']]);
    },
  );
});
