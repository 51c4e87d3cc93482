import type {
  CancelAnswer,
  ClaimAnswer,
  ClaimRequest,
  Commit,
  CommitAnswer,
  DeliveredActivation,
  HeartbeatAnswer,
  InboxView,
  JournalPage,
  PumpAnswer,
  Randomness,
  RunHead,
  RunStore,
  SubmitAnswer,
  SubmitRequest,
} from '@millrace/durable';
import type { MemoryFaults } from './memory-faults.js';
import type { MemoryServer } from './memory-server.js';
import { readJournal } from './read-journal.js';
import { cancel } from './scripts/cancel.js';
import { claim } from './scripts/claim.js';
import { commit } from './scripts/commit.js';
import { heartbeat } from './scripts/heartbeat.js';
import { pump } from './scripts/pump.js';
import { renew } from './scripts/renew.js';
import { submit } from './scripts/submit.js';
import { takeBack } from './scripts/take-back.js';

type Request<Method extends keyof RunStore> = Parameters<RunStore[Method]>[0];

/** The write path of one client: scripts of the shared server, reached through the client's faults. */
export class MemoryRunStore implements RunStore {
  constructor(
    private readonly server: MemoryServer,
    private readonly faults: MemoryFaults,
    private readonly random: Randomness,
  ) {}

  submit(requests: readonly SubmitRequest[]): Promise<SubmitAnswer[]> {
    return this.faults.carry('submit', () => requests.map((request) => submit(this.server, request)));
  }

  claim(requests: readonly ClaimRequest[]): Promise<ClaimAnswer[]> {
    return this.faults.carry('claim', () => requests.map((request) => claim(this.server, request)));
  }

  renew(request: Request<'renew'>): Promise<RunHead | 'lost'> {
    return this.faults.carry('renew', () => renew(this.server, request));
  }

  readJournal(request: Request<'readJournal'>): Promise<JournalPage> {
    return this.faults.carry('readJournal', () => readJournal(this.server.readRecord(request.runId), request));
  }

  look({ runId, token }: Request<'look'>): Promise<InboxView | 'lost'> {
    return this.faults.carry('look', () => {
      const record = this.server.readRecord(runId);
      return record?.token === token ? { inbox: record.inbox, cancel: record.cancel && { ...record.cancel } } : 'lost';
    });
  }

  commit(commits: readonly Commit[]): Promise<CommitAnswer[]> {
    return this.faults.carry('commit', () => commits.map((change) => commit(this.server, change)));
  }

  heartbeat(request: Request<'heartbeat'>): Promise<HeartbeatAnswer> {
    return this.faults.carry('heartbeat', () => heartbeat(this.server, request));
  }

  cancel(request: Request<'cancel'>): Promise<CancelAnswer> {
    return this.faults.carry('cancel', () => cancel(this.server, request));
  }

  pump(request: Request<'pump'>): Promise<PumpAnswer> {
    return this.faults.carry('pump', () => pump(this.server, request, () => this.random.bits64()));
  }

  takeBack(request: Request<'takeBack'>): Promise<DeliveredActivation[]> {
    return this.faults.carry('takeBack', () => takeBack(this.server, request, () => this.random.bits64()));
  }

  now(): Promise<number> {
    return this.faults.carry('now', () => this.server.now());
  }
}
