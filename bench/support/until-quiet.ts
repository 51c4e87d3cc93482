import { setTimeout as delay } from 'node:timers/promises';
import { waitUntil } from '@millrace/storage/testing';
import { between, readCounters } from './server-counters.js';

const QUIET_MS = 150;
const LIMIT_MS = 10_000;

/**
 * Waits until nobody has said anything to the server for 150 ms: connections that are set up beside the work, such as that of the
 * heartbeats' thread, are there then and cost the next run nothing.
 */
export async function untilQuiet(port: number): Promise<void> {
  await waitUntil({ name: 'a quiet server', limitMs: LIMIT_MS }, async () => {
    const before = await readCounters(port);
    await delay(QUIET_MS);
    const { bytesIn, bytesOut } = between(before, await readCounters(port));
    return bytesIn === 0 && bytesOut === 0;
  });
}
