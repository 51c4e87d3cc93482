import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeEntry, isTerminal, type RunHead, type StepEntry, systemRandomness } from '@millrace/durable';
import { createPayloadCodec, errorCodec, RedisStorage } from '@millrace/storage';
import { type RedisServer, startRedis, testNamespace, type Track, waitUntil } from '@millrace/storage/testing';
import type { LedgerLine } from '../fixtures/ledger.js';
import { FixtureProcess, type FixtureOptions } from './fixture-process.js';

const codec = { ...createPayloadCodec(), ...errorCodec };

/** What a bench runs on: one server, a cluster, whatever has an address that the storage takes. */
interface Reachable {
  readonly url: string;
}

interface BenchOptions {
  readonly namespace?: string;
  readonly partitions?: number;
}

/** A Redis of its own, a ledger, worker processes, and a storage to submit and look with. */
export class FaultBench<Store extends Reachable = RedisServer> {
  private constructor(
    private readonly track: Track,
    readonly redis: Store,
    readonly storage: RedisStorage,
    readonly namespace: string,
    readonly folder: string,
  ) {}

  static async open(track: Track, options: BenchOptions & Readonly<{ redisArgs?: readonly string[] }> = {}): Promise<FaultBench> {
    const redis = await track(startRedis(options.redisArgs ? { args: options.redisArgs } : {}));
    return FaultBench.on(redis, track, options);
  }

  /** On a Redis that somebody else ends. */
  static async on<On extends Reachable>(redis: On, track: Track, options: BenchOptions = {}): Promise<FaultBench<On>> {
    const folder = await mkdtemp(join(tmpdir(), 'millrace-faults-'));
    await track({ close: () => rm(folder, { recursive: true, force: true }) });
    const { namespace = testNamespace('faults'), partitions = 1 } = options;
    const storage = await track(RedisStorage.open({ url: redis.url, namespace, partitions }));
    const bench = new FaultBench(track, redis, storage, namespace, folder);
    await writeFile(bench.ledgerFile, '');
    return bench;
  }

  get ledgerFile(): string {
    return join(this.folder, 'ledger');
  }

  file(name: string): string {
    return join(this.folder, name);
  }

  /** Lets steps go on that wait for the file. */
  async make(name: string): Promise<void> {
    await writeFile(this.file(name), '');
  }

  worker(options: Partial<FixtureOptions> = {}): Promise<FixtureProcess> {
    return this.track(FixtureProcess.start(this.fixtureOptions(options)));
  }

  /** A worker that may die before it is ready. */
  spawn(options: Partial<FixtureOptions> = {}): Promise<FixtureProcess> {
    return this.track(FixtureProcess.spawn(this.fixtureOptions(options)));
  }

  async submit(workflow: string, input: unknown, runId = `r-${systemRandomness.bits64().replace(/[^A-Za-z0-9]/g, 'x')}`): Promise<string> {
    const lane = { queue: 'default', workflow, version: 1 };
    await this.storage.runs.submit([{ runId, lane, input: codec.encode(input), digest: runId, requestId: systemRandomness.bits64() }]);
    return runId;
  }

  async head(runId: string): Promise<RunHead> {
    const head = await this.storage.inspector.getRun(runId);
    if (!head) throw new Error(`there is no run ${runId}`);
    return head;
  }

  /** Waits until the run is terminal. */
  async ended(runId: string, limitMs = 30_000): Promise<RunHead> {
    return waitUntil({ name: `the end of run ${runId}`, limitMs }, async () => {
      const progress = await this.storage.inspector.getProgress(runId);
      return progress !== null && isTerminal(progress.status) && this.head(runId);
    });
  }

  /** Waits until Redis time has moved on by `ms`: what a lease or block time is measured with. */
  async outlast(runId: string, ms: number): Promise<void> {
    const until = (await this.storage.runs.now()) + ms;
    await waitUntil(
      { name: `${ms} ms of Redis time over run ${runId}`, limitMs: ms + 5_000, pollMs: 100 },
      async () => (await this.storage.runs.now()) >= until,
    );
  }

  /** Leaves things as they are for `ms`: an outage of that length. */
  async hold(ms: number): Promise<void> {
    const until = performance.now() + ms;
    await waitUntil({ name: `an outage of ${ms} ms`, limitMs: ms + 5_000, pollMs: 100 }, () => performance.now() >= until);
  }

  decode(payload: string | null): unknown {
    return payload === null ? null : codec.decode(payload);
  }

  decodeError(payload: string | null): Error & { code?: string } {
    return codec.decodeError(payload ?? '');
  }

  async steps(runId: string): Promise<StepEntry[]> {
    const { journalEnd } = await this.head(runId);
    const entries: StepEntry[] = [];
    for (let from: number | null = 0; from !== null; ) {
      const page = await this.storage.inspector.readJournal({ runId, from, journalEnd });
      for (const [journalNumber, value] of page.entries) {
        const entry = decodeEntry(value, journalNumber);
        if (entry?.kind === 'step') entries.push(entry);
      }
      from = page.next;
    }
    return entries;
  }

  async ledger(filter: Partial<LedgerLine> = {}): Promise<LedgerLine[]> {
    const text = await readFile(this.ledgerFile, 'utf8');
    // A process may be writing its line at this moment: only whole lines are read.
    const lines = text
      .slice(0, text.lastIndexOf('\n') + 1)
      .split('\n')
      .filter(Boolean);
    const wanted = Object.entries(filter);
    return lines
      .map((line) => JSON.parse(line) as LedgerLine)
      .filter((line) => wanted.every(([key, value]) => line[key as keyof LedgerLine] === value));
  }

  /** Waits for a line of the ledger. */
  async noted(filter: Partial<LedgerLine>, limitMs = 20_000): Promise<LedgerLine> {
    return waitUntil({ name: `ledger line ${JSON.stringify(filter)}`, limitMs }, async () => (await this.ledger(filter))[0]);
  }

  /** Proves invariant 9 on everything in the namespace. Every fault test ends with it. */
  async audit(): Promise<void> {
    const findings: unknown[] = [];
    await this.storage.auditor.walk({ repair: false }, (finding) => findings.push(finding));
    if (findings.length > 0) throw new Error(`the audit found ${JSON.stringify(findings, null, 2)}`);
  }

  private fixtureOptions(options: Partial<FixtureOptions>): FixtureOptions {
    return {
      url: this.redis.url,
      namespace: this.namespace,
      ledger: this.ledgerFile,
      partitions: this.storage.describe().partitions,
      ...options,
    };
  }
}
