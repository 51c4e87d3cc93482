import { isTerminal, laneName } from '@millrace/durable';
import type { MemoryRecord } from './memory-record.js';
import { isBroken, type MemoryServer } from './memory-server.js';
import { indexName, type Partition } from './partition.js';

/**
 * Invariant 9 of the design, for every readable run: at most one live claim and at most one activation, never both; at
 * least one way forward; and lease, timer, lane entry and index agree with the record. Broken records are left out.
 *
 * @throws Error with every fault
 */
export function checkMemoryInvariants(server: MemoryServer): void {
  const faults = server.partitions.flatMap((partition) => [...faultsOfRecords(partition), ...faultsOfPointers(partition)]);
  if (faults.length > 0) {
    throw new Error(`the store breaks its invariants:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
  }
}

function faultsOfRecords(partition: Partition): string[] {
  return [...partition.runs.values()].flatMap((record) =>
    isBroken(record)
      ? []
      : recordRules.filter((rule) => !rule.holds(record, partition)).map((rule) => `run ${record.runId} (${record.status}): ${rule.name}`),
  );
}

interface RecordRule {
  readonly name: string;
  holds(record: MemoryRecord, partition: Partition): boolean;
}

const recordRules: readonly RecordRule[] = [
  {
    name: 'exactly the runs that are running have a claim, and it has a lease',
    holds: ({ runId, status, token }, { leases }) => (status === 'running') === (token !== null) && (token !== null) === leases.has(runId),
  },
  {
    name: 'exactly the runs that are queued have an activation',
    holds: ({ status, activation }) => (status === 'queued') === (activation !== null),
  },
  {
    name: 'exactly the runs that wait until an instant have a timer, and it is due then',
    holds: ({ runId, status, wakeAt }, { timers }) => (timers.get(runId) ?? null) === wakeAt && (wakeAt === null || status === 'waiting'),
  },
  {
    name: 'a waiting run has a waker',
    holds: ({ status, wakeAt }) => status !== 'waiting' || wakeAt !== null,
  },
  {
    name: 'the activation is the only entry of the run, in its lane, with its bits',
    holds: (record, partition) => {
      const entries = entriesOf(record.runId, partition);
      const { activation } = record;
      const isCurrent = ({ lane, entryId, bits }: (typeof entries)[number]): boolean =>
        lane === laneName(record.lane) && entryId === activation?.entryId && bits === activation.bits;
      return entries.length === (activation === null ? 0 : 1) && entries.every(isCurrent);
    },
  },
  {
    name: 'the run is in the index of its status and in no other',
    holds: ({ runId, lane, status, createdAt }, { index }) => {
      const holding = [...index].filter(([, members]) => members.has(runId));
      return holding.length === 1 && holding[0]?.[0] === indexName(lane.workflow, status) && holding[0][1].get(runId) === createdAt;
    },
  },
  {
    name: 'exactly the runs that are terminal have an end, and it is not before the beginning',
    holds: ({ status, createdAt, startedAt, endedAt }) =>
      isTerminal(status) === (endedAt !== null) && (endedAt ?? createdAt) >= createdAt && (startedAt ?? createdAt) >= createdAt,
  },
  {
    name: 'open attempts are charged to a claim',
    holds: ({ token, openAttempts }) => token !== null || openAttempts === 0,
  },
];

function entriesOf(runId: string, { lanes }: Partition): Array<{ lane: string; entryId: string; bits: string }> {
  return [...lanes].flatMap(([lane, { entries }]) =>
    [...entries.values()].filter((entry) => entry.runId === runId).map(({ entryId, bits }) => ({ lane, entryId, bits })),
  );
}

/** Whatever points to a run points to one that is there. */
function faultsOfPointers(partition: Partition): string[] {
  const { runs, lanes, leases, timers, index } = partition;
  const pointers = [
    ...[...leases.keys()].map((runId) => ['a lease', runId] as const),
    ...[...timers.keys()].map((runId) => ['a timer', runId] as const),
    ...[...index].flatMap(([name, members]) => [...members.keys()].map((runId) => [`index ${name}`, runId] as const)),
    ...[...lanes].flatMap(([lane, { entries }]) => [...entries.values()].map(({ runId }) => [`an entry of lane ${lane}`, runId] as const)),
  ];
  return pointers
    .filter(([, runId]) => !runs.has(runId))
    .map(([pointer, runId]) => `${pointer} points to run ${runId}, which is not there`);
}
