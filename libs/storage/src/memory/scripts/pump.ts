import type { DeliveredActivation, PumpAnswer, RunStore } from '@millrace/durable';
import type { MemoryServer } from '../memory-server.js';
import { dueMembers, type Partition } from '../partition.js';
import { bury } from './bury.js';
import { ready } from './ready.js';
import { findRun, hasLiveClaim, type ScriptRun } from './script-run.js';

type PumpRequest = Parameters<RunStore['pump']>[0];

interface Found {
  readonly activations: DeliveredActivation[];
  readonly setAside: string[];
  buried: number;
  fired: number;
}

/** Acts on what has become due. Every run is checked again where it is acted on: what a set says may be old. */
export function pump(server: MemoryServer, request: PumpRequest, bits: () => string): PumpAnswer {
  const found: Found = { activations: [], setAside: [], buried: 0, fired: 0 };
  for (const partition of server.partitions) {
    for (const runId of dueMembers(partition.leases, server.now(), request.limit)) {
      buryLapsed(server, partition, runId, request, bits, found);
    }
    for (const runId of dueMembers(partition.timers, server.now(), request.limit)) {
      fireDue(server, partition, runId, bits, found);
    }
  }
  return { now: server.now(), ...found, nextWakeAt: nextWakeAt(server) };
}

function buryLapsed(
  server: MemoryServer,
  partition: Partition,
  runId: string,
  request: PumpRequest,
  bits: () => string,
  found: Found,
): void {
  const run = findRun(server, runId);
  if (run === null || run.record.token === null) {
    partition.leases.delete(runId);
    return;
  }
  if (hasLiveClaim(run)) {
    return;
  }
  found.buried += 1;
  if (bury(run, request) === 'set-aside') {
    found.setAside.push(runId);
  } else {
    makeReady(run, bits, found);
  }
}

function fireDue(server: MemoryServer, partition: Partition, runId: string, bits: () => string, found: Found): void {
  const run = findRun(server, runId);
  if (run === null || run.record.wakeAt === null) {
    partition.timers.delete(runId);
    return;
  }
  found.fired += 1;
  makeReady(run, bits, found);
}

function makeReady(run: ScriptRun, bits: () => string, found: Found): void {
  const activation = ready(run, bits());
  if (activation !== null) {
    found.activations.push(activation);
  }
}

function nextWakeAt(server: MemoryServer): number | null {
  const later = server.partitions.flatMap(({ timers }) => [...timers.values()]).filter((dueAt) => dueAt > server.now());
  return later.length === 0 ? null : Math.min(...later);
}
