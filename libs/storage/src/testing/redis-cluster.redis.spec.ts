import { afterEach, describe, expect, it } from '@jest/globals';
import { Cluster } from 'ioredis';
import { rawCommand } from './raw-command.js';
import { startRedisCluster } from './redis-cluster.js';
import { tracked } from './tracked.js';
import { waitUntil } from './wait-until.js';

const track = tracked(afterEach);

describe('startRedisCluster', () => {
  it('forms a whole cluster whose masters share the keys, and leaves nothing running', async () => {
    const cluster = await track(startRedisCluster({ masters: 3 }));
    const client = new Cluster([...cluster.nodes]);
    await track({ close: () => client.disconnect() });
    const keys = Array.from({ length: 60 }, (_, index) => `{k${index}}:value`);
    await Promise.all(keys.map((key) => client.set(key, key)));
    await expect(Promise.all(keys.map((key) => client.get(key)))).resolves.toEqual(keys);
    const held = await Promise.all(cluster.nodes.map((node) => rawCommand(node, 'DBSIZE')));
    expect(held.map(Number).reduce((sum, count) => sum + count)).toBe(60);
    expect(Math.min(...held.map(Number))).toBeGreaterThan(0);
    await expect(client.mset('{a}1', '1', '{b}1', '1')).rejects.toThrow('CROSSSLOT');
    client.disconnect();
    await cluster.stop();
    await Promise.all(cluster.nodes.map((node) => expect(rawCommand(node, 'PING')).rejects.toThrow('ECONNREFUSED')));
  });

  it('is down soon after one of its masters is killed, and whole again when it comes back', async () => {
    const cluster = await track(startRedisCluster());
    const [first, last] = [cluster.servers[0], cluster.servers[2]];
    if (first === undefined || last === undefined) {
      throw new Error('a cluster of three has a first and a third server');
    }
    const firstSees = (state: string) => async (): Promise<boolean> => (await rawCommand(first, 'CLUSTER', 'INFO')).includes(state);
    await last.kill();
    await waitUntil({ name: 'cluster_state:fail' }, firstSees('cluster_state:fail'));
    await last.restart();
    await waitUntil({ name: 'cluster_state:ok' }, firstSees('cluster_state:ok'));
  });
});
