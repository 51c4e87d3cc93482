const KEYS_A_CALL = 1000;

/**
 * Memory of the server that the completed jobs of a queue hold: their hashes, everything under their keys, and the set that lists
 * them. Not counted is what a queue has once: its counters and its stream of events, which is trimmed.
 *
 * @param {import('bullmq').Queue} queue
 * @param {import('ioredis').Redis} probe
 * @returns {Promise<number>} Bytes, as MEMORY USAGE tells them without sampling.
 */
export async function retainedBytes(queue, probe) {
  const completed = queue.toKey('completed');
  const ids = new Set(await probe.zrange(completed, 0, '-1'));
  const prefix = queue.toKey('');
  const isOfJob = (/** @type {string} */ key) => ids.has(key.slice(prefix.length).split(':')[0] ?? '');
  let bytes = await usage(probe, [completed]);
  for await (const keys of probe.scanStream({ match: `${prefix}*`, count: KEYS_A_CALL })) {
    bytes += await usage(probe, keys.filter(isOfJob));
  }
  return bytes;
}

/**
 * @param {import('ioredis').Redis} probe
 * @param {string[]} keys
 */
async function usage(probe, keys) {
  const sizes = await Promise.all(keys.map((key) => probe.memory('USAGE', key, 'SAMPLES', 0)));
  return sizes.reduce((/** @type {number} */ sum, size) => sum + Number(size), 0);
}
