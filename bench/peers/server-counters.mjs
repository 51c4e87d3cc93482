/**
 * @typedef {object} Counters
 * @property {number} bytesIn Protocol bytes that the server has read.
 * @property {number} bytesOut Protocol bytes that it has written.
 * @property {number} cpuUs Processor time of the server with all its threads, fsync of its own threads included; µs.
 * @property {number} aofBytes Size of its append-only file, what still waits to be written included.
 */

/**
 * Starts counting; the returned function tells how far each counter went since then. The readings' own bytes are taken off.
 *
 * @param {import('ioredis').Redis} probe A connection that nothing else uses.
 * @returns {Promise<() => Promise<Counters>>}
 */
export async function countFromNow(probe) {
  // The server counts a request before it answers and the answer after that, so two readings with nothing between them are
  // apart by exactly what one reading costs.
  const earlier = await read(probe);
  const start = await read(probe);
  return async () => {
    const end = await read(probe);
    if (end.aofRewrites !== start.aofRewrites) throw new Error('the append-only file was rewritten meanwhile; its size tells nothing');
    return {
      bytesIn: end.bytesIn - start.bytesIn - (start.bytesIn - earlier.bytesIn),
      bytesOut: end.bytesOut - start.bytesOut - (start.bytesOut - earlier.bytesOut),
      cpuUs: end.cpuUs - start.cpuUs,
      aofBytes: end.aofBytes - start.aofBytes,
    };
  };
}

/** @param {import('ioredis').Redis} probe */
async function read(probe) {
  const info = await probe.info('stats', 'cpu', 'persistence');
  const field = (/** @type {string} */ name) => {
    const value = new RegExp(`^${name}:([\\d.]+)\r?$`, 'm').exec(info)?.[1];
    if (value === undefined) throw new Error(`INFO tells no ${name}: peers are measured on Redis 7 with appendonly yes`);
    return Number(value);
  };
  return {
    bytesIn: field('total_net_input_bytes'),
    bytesOut: field('total_net_output_bytes'),
    cpuUs: Math.round((field('used_cpu_user') + field('used_cpu_sys')) * 1e6),
    aofBytes: field('aof_current_size') + field('aof_buffer_length'),
    aofRewrites: field('aof_rewrites'),
  };
}
