import { freePort } from './free-port.js';
import { rawCommand } from './raw-command.js';
import { startRedis, type RedisServer } from './redis-server.js';
import { waitUntil } from './wait-until.js';

/** How a cluster of a test is made. */
export interface StartRedisClusterOptions {
  /** Nodes, each a master without replicas. @defaultValue 3, the least that can elect */
  readonly masters?: number;
  /** Further server arguments for every node. */
  readonly args?: readonly string[];
}

/** A Redis Cluster whose processes belong to a test. */
export interface RedisCluster {
  /** The address of the whole cluster, as API and workers take it. */
  readonly url: string;
  readonly nodes: readonly { readonly host: string; readonly port: number }[];
  /** The processes behind `nodes`, in the same order. */
  readonly servers: readonly RedisServer[];
  stop(): Promise<void>;
}

const HOST = '127.0.0.1';
const SLOTS = 16_384;
const NODE_TIMEOUT_MS = 2_000;
const FORM_LIMIT_MS = 30_000;

interface Node {
  readonly server: RedisServer;
  readonly busPort: number;
}

/**
 * Starts a Redis Cluster of masters on 127.0.0.1, its slots spread evenly, and answers when every node says that the
 * cluster is whole. A node counts as failing after 2 s.
 *
 * @throws Error when a node does not start or the cluster does not form in 30 s; nothing is left running.
 */
export async function startRedisCluster(options: StartRedisClusterOptions = {}): Promise<RedisCluster> {
  const masters = options.masters ?? 3;
  const started: Node[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(started.map(({ server }) => server.stop()));
  };
  try {
    for (let index = 0; index < masters; index += 1) {
      started.push(await startNode(options.args ?? []));
    }
    await joinNodes(started);
    await Promise.all(started.map((node) => waitUntilWhole(node, masters)));
  } catch (error) {
    await stop();
    throw error;
  }
  const servers = started.map(({ server }) => server);
  const nodes = servers.map(({ port }) => ({ host: HOST, port }));
  return { url: `redis+cluster://${nodes.map(({ port }) => `${HOST}:${port}`).join(',')}`, nodes, servers, stop };
}

async function startNode(args: readonly string[]): Promise<Node> {
  // The usual bus port, client port + 10,000, would fall into the range that clients get their own ports from.
  const busPort = await freePort();
  const settings = {
    'cluster-enabled': 'yes',
    'cluster-port': String(busPort),
    'cluster-node-timeout': String(NODE_TIMEOUT_MS),
    'cluster-config-file': 'nodes.conf',
  };
  const server = await startRedis({ args: [...Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]), ...args] });
  return { server, busPort };
}

async function joinNodes(nodes: readonly Node[]): Promise<void> {
  const [first] = nodes;
  if (first === undefined) {
    throw new RangeError('a cluster has at least one master');
  }
  for (const [index, { server }] of nodes.entries()) {
    const [from, to] = slotRange(index, nodes.length);
    await rawCommand({ port: server.port }, 'CLUSTER', 'ADDSLOTSRANGE', String(from), String(to));
    // Nodes that meet with the same epoch first have to settle which of them is newer.
    await rawCommand({ port: server.port }, 'CLUSTER', 'SET-CONFIG-EPOCH', String(index + 1));
  }
  for (const { server } of nodes.slice(1)) {
    await rawCommand({ port: server.port }, 'CLUSTER', 'MEET', HOST, String(first.server.port), String(first.busPort));
  }
}

function slotRange(index: number, masters: number): [from: number, to: number] {
  const edge = (at: number): number => Math.floor((at * SLOTS) / masters);
  return [edge(index), edge(index + 1) - 1];
}

async function waitUntilWhole({ server }: Node, masters: number): Promise<void> {
  await waitUntil({ name: `a whole cluster as node ${server.port} sees it`, limitMs: FORM_LIMIT_MS, pollMs: 50 }, async () => {
    const info = await rawCommand({ port: server.port }, 'CLUSTER', 'INFO');
    return info.includes('cluster_state:ok') && info.includes(`cluster_known_nodes:${masters}\r\n`);
  });
}
