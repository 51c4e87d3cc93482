import { Redis } from 'ioredis';

/**
 * Connections of one measurement: one for queue and flow producer, one for the worker, and `probe`, which reads the server's
 * counters and takes no part in what is measured. The worker opens one more for itself, because it blocks on it.
 *
 * Auto-pipelining stays off: BullMQ's documentation does not ask for it, its users report lost jobs under load with it, and one
 * worker drained a third slower.
 *
 * @typedef {object} Connections
 * @property {Redis} queue
 * @property {Redis} worker
 * @property {Redis} probe
 * @property {Promise<never>} lost Rejects when one of them breaks. BullMQ would wait for the server to come back; a measurement is over.
 */

/**
 * Connects to a server on this machine, which must be empty.
 *
 * @param {number} port
 * @returns {Promise<Connections>}
 */
export async function connect(port) {
  const [queue, worker, probe] = [open(port), open(port), open(port)];
  const lost = Promise.race([failureOf(queue), failureOf(worker), failureOf(probe)]);
  const connections = { queue, worker, probe, lost };
  try {
    await Promise.race([lost, Promise.all([queue.connect(), worker.connect(), probe.connect()])]);
    const keys = await probe.dbsize();
    if (keys > 0) throw new Error(`the server on port ${port} holds ${keys} keys; a measurement needs an empty one`);
    return connections;
  } catch (error) {
    disconnect(connections);
    throw error;
  }
}

/** @param {Connections} connections */
export function disconnect({ queue, worker, probe }) {
  for (const client of [queue, worker, probe]) client.disconnect();
}

/** @param {number} port */
function open(port) {
  // BullMQ demands `maxRetriesPerRequest: null` of a worker's connection.
  return new Redis({ host: '127.0.0.1', port, lazyConnect: true, maxRetriesPerRequest: null, retryStrategy: () => null });
}

/**
 * @param {Redis} client
 * @returns {Promise<never>}
 */
function failureOf(client) {
  return new Promise((_, reject) => {
    client.once('end', () => reject(new Error('the server closed a connection')));
    client.on('error', reject);
  });
}
