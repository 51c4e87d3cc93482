import type { Commit, CommitThen, DeliveredActivation, Lane, LaneReader, RunStore } from '@millrace/durable';
import type { Harness, StorageUnderTest } from '../harness.js';
import type { Command, CommitKind } from './commands.js';
import { Neutral } from './neutral.js';

const LANE: Lane = { queue: 'default', workflow: 'fulfil-order', version: 1 };
const LONG_LEASE_MS = 60_000;
const LAPSING_LEASE_MS = 1;
const FAR_MS = 3_600_000;
const SET_ASIDE_ERROR = 'error: killed its workers';

/** What somebody believes to hold, from the answers that were seen. */
interface Claim {
  readonly token: string;
  revision: number;
  inbox: string;
}

type Of<Do extends Command['do']> = Extract<Command, { do: Do }>;

/** Plays commands on one store. What it sends depends on nothing but the commands and what was answered so far. */
export class Player {
  private readonly activations = new Map<string, DeliveredActivation[]>();
  private readonly claims = new Map<string, Claim[]>();
  private readonly tokenBits = new Map<string, string>();
  private readonly neutral = new Neutral();
  private played = 0;
  private loseWrites: (() => Promise<void>) | null = null;

  private readonly readers: readonly LaneReader[];

  constructor(private readonly harness: Harness) {
    this.readers = [harness.first, harness.second].map((client) => client.lanes([LANE]));
  }

  /** The answer of the command and what both runs look like after it, free of instants and of ids that the store chose. */
  async play(command: Command): Promise<object> {
    this.played += 1;
    const answer = await this.act(command);
    return { command: command.do, answer: this.neutral.of(answer), runs: await Promise.all(runIds.map((runId) => this.observe(runId))) };
  }

  /** What is left at the end: journals, list, counts, lane. */
  async epilogue(): Promise<object> {
    const { inspector, runs } = this.harness.first;
    const journals = await Promise.all(runIds.map((runId) => runs.readJournal({ runId, from: 0, journalEnd: 41 })));
    const counts = (await inspector.counts()).map(({ workflow, status, count }) => `${workflow} ${status} ${count}`).sort();
    const listed = (await inspector.list({ limit: 10 })).runs.map((row) => this.neutral.of(row)).sort(byText);
    await this.harness.checkInvariants?.();
    return {
      journals: journals.map(({ entries }) => entries),
      counts,
      listed,
      laneDepth: await inspector.laneDepth('default|fulfil-order|1'),
    };
  }

  async close(): Promise<void> {
    await Promise.all(this.readers.map((reader) => reader.close()));
    await this.harness.close();
  }

  private client({ worker }: Command): StorageUnderTest {
    return worker === 0 ? this.harness.first : this.harness.second;
  }

  private async observe(runId: string): Promise<unknown> {
    const { inspector } = this.harness.first;
    const [head, lease] = await Promise.all([inspector.getRun(runId), inspector.getLease(runId)]);
    return this.neutral.of({ ...head, hasLease: lease !== null });
  }

  private act(command: Command): Promise<unknown> {
    switch (command.do) {
      case 'submit':
        return this.submit(command);
      case 'deliver':
        return this.deliver(command);
      case 'claim':
        return this.claim(command);
      case 'commit':
        return this.commit(command);
      case 'look':
        return this.look(command);
      case 'renew':
        return this.renew(command);
      case 'heartbeat':
        return this.heartbeat(command);
      case 'cancel':
        return this.cancel(command);
      case 'lapse':
        return this.lapse(command);
      case 'pump':
        return this.pump(command);
      case 'take-back':
        return this.takeBack(command);
      case 'remember':
        return this.remember();
      default:
        return this.lose();
    }
  }

  /** Calls a method of the command's client; when the reply is lost, again with the same arguments. */
  private async send<Answer>(command: Command, call: (runs: RunStore) => Promise<Answer>): Promise<Answer> {
    const { runs } = this.client(command);
    if (command.replyLost) {
      await call(runs);
    }
    return call(runs);
  }

  private submit(command: Of<'submit'>): Promise<unknown> {
    const { runId } = this.target(command);
    const requestId = `${runId}-${command.request}`;
    return this.send(command, (runs) => runs.submit([{ runId, lane: LANE, input: '{}', digest: requestId, requestId }]));
  }

  private async deliver(command: Of<'deliver'>): Promise<unknown> {
    const reader = this.readers[command.worker] as LaneReader;
    return this.seen(command.again ? await reader.reclaim(0, 10) : await reader.read(10));
  }

  private async claim(command: Of<'claim'>): Promise<unknown> {
    const { runId } = this.target(command);
    const delivered = await this.deliver({ ...command, do: 'deliver', again: false });
    const activation = fromEnd(this.activations.get(runId), command.activation);
    if (activation === undefined) {
      return { delivered };
    }
    const bitsName = `${runId} ${command.worker}`;
    const tokenBits = (command.repeat && this.tokenBits.get(bitsName)) || `bits-${this.played}`;
    this.tokenBits.set(bitsName, tokenBits);
    const request = {
      ...activation,
      tokenBits,
      owner: ownerOf(command),
      leaseMs: LONG_LEASE_MS,
      activationBudget: 3,
      setAsideError: SET_ASIDE_ERROR,
    };
    const [answer] = await this.send(command, (runs) => runs.claim([request]));
    if (answer?.kind === 'claimed') {
      const { token, revision, inbox } = answer.head;
      this.claimsOf(runId).push({ token, revision, inbox });
    }
    return { delivered, answer };
  }

  private async commit(command: Of<'commit'>): Promise<unknown> {
    const { runId, claim } = this.target(command, command.token);
    if (claim === undefined) {
      return 'no claim';
    }
    const change: Commit = {
      runId,
      token: claim.token,
      revision: Math.max(0, claim.revision + command.revisionOff),
      writes: [[command.entry.toString(36), `written by command ${this.played}`]],
      opens: command.kind === 'open',
      ...(command.openAttempts === null ? {} : { openAttempts: command.openAttempts }),
      ...(command.entry === 40 ? { journalEnd: 41 } : {}),
      then: await this.thenOf(command, claim),
    };
    const [answer] = await this.send(command, (runs) => runs.commit([change]));
    if (answer === 'ok') {
      claim.revision = Math.max(claim.revision, change.revision + 1);
    }
    return answer;
  }

  private async thenOf({ kind, strangeInbox }: Of<'commit'>, claim: Claim): Promise<CommitThen> {
    const inbox = strangeInbox ? '7.nobody' : claim.inbox;
    switch (kind) {
      case 'continue':
      case 'open':
        return { kind: 'continue' };
      case 'park-due':
        return { kind: 'park', inbox, wakeAt: (await this.harness.first.runs.now()) - 1_000 };
      case 'park-far':
        return { kind: 'park', inbox, wakeAt: (await this.harness.first.runs.now()) + FAR_MS };
      case 'release':
        return { kind: 'release', bits: `released-${this.played}` };
      default:
        return {
          kind: 'end',
          status: kind satisfies CommitKind,
          ...(kind === 'completed' ? { output: '"done"' } : { error: `error: ${kind}` }),
        };
    }
  }

  private async look(command: Of<'look'>): Promise<unknown> {
    const { runId, claim } = this.target(command, command.token);
    if (claim === undefined) {
      return 'no claim';
    }
    const answer = await this.send(command, (runs) => runs.look({ runId, token: claim.token }));
    if (answer !== 'lost') {
      claim.inbox = answer.inbox;
    }
    return answer;
  }

  private async renew(command: Of<'renew'>): Promise<unknown> {
    const { runId, claim } = this.target(command, command.token);
    if (claim === undefined) {
      return 'no claim';
    }
    const newToken = `1.renewed-${command.newToken}`;
    const answer = await this.send(command, (runs) => runs.renew({ runId, token: claim.token, newToken, leaseMs: LONG_LEASE_MS }));
    if (answer !== 'lost') {
      this.claimsOf(runId).push({ token: newToken, revision: answer.revision, inbox: answer.inbox });
    }
    return answer;
  }

  private async heartbeat(command: Of<'heartbeat'>): Promise<unknown> {
    const claims = runIds.flatMap((runId) => {
      const claim = fromEnd(this.claims.get(runId), command.token);
      return claim === undefined ? [] : [{ runId, token: claim.token, inbox: claim.inbox }];
    });
    const { lost, moved } = await this.send(command, (runs) => runs.heartbeat({ claims, leaseMs: LONG_LEASE_MS }));
    return { lost: [...lost].sort(), moved: [...moved].sort() };
  }

  private cancel(command: Of<'cancel'>): Promise<unknown> {
    const { runId } = this.target(command);
    return this.send(command, (runs) => runs.cancel({ runId, requestId: `cancel-${command.request}`, reason: 'no longer wanted' }));
  }

  /** Whoever holds the run beats a last time with the shortest lease, and is silent. */
  private async lapse(command: Of<'lapse'>): Promise<unknown> {
    const { runId } = this.target(command);
    const claims = this.claimsOf(runId).map(({ token, inbox }) => ({ runId, token, inbox }));
    const { lost } = await this.harness.first.runs.heartbeat({ claims, leaseMs: LAPSING_LEASE_MS });
    await this.harness.timePasses(LAPSING_LEASE_MS + 1);
    return claims.length - lost.length;
  }

  private async pump(command: Of<'pump'>): Promise<unknown> {
    const request = { limit: 10, activationBudget: command.activationBudget, setAsideError: SET_ASIDE_ERROR };
    const { activations, buried, fired, setAside, nextWakeAt } = await this.send(command, (runs) => runs.pump(request));
    return { activations: this.seen(activations), buried, fired, setAside: [...setAside].sort(), hasTimer: nextWakeAt !== null };
  }

  private async takeBack(command: Of<'take-back'>): Promise<unknown> {
    const request = { owner: ownerOf(command), lanes: [LANE], activationBudget: 3, setAsideError: SET_ASIDE_ERROR };
    return this.seen(await this.send(command, (runs) => runs.takeBack(request)));
  }

  private async remember(): Promise<unknown> {
    this.loseWrites = await this.harness.snapshot();
    return 'remembered';
  }

  private async lose(): Promise<unknown> {
    await this.loseWrites?.();
    // What is written anew has other instants than what was lost, on every store.
    await this.harness.timePasses(1);
    return this.loseWrites === null ? 'nothing to lose' : 'lost';
  }

  private target({ run }: Command, token = 0): { runId: string; claim: Claim | undefined } {
    const runId = runIds[run] as string;
    return { runId, claim: fromEnd(this.claims.get(runId), token) };
  }

  private claimsOf(runId: string): Claim[] {
    const claims = this.claims.get(runId) ?? [];
    this.claims.set(runId, claims);
    return claims;
  }

  /** Remembers activations, and answers them in an order that does not depend on partitions. */
  private seen(activations: readonly DeliveredActivation[]): readonly DeliveredActivation[] {
    const sorted = [...activations].sort((one, other) => byText(one.runId, other.runId));
    for (const activation of sorted) {
      const known = this.activations.get(activation.runId) ?? [];
      this.activations.set(activation.runId, [...known, activation]);
    }
    return sorted;
  }
}

const runIds = ['run-a', 'run-b'] as const;

function ownerOf({ worker }: Command): string {
  return `worker-${worker}.x`;
}

function fromEnd<T>(list: readonly T[] | undefined, pick: number): T | undefined {
  return list?.at(-1 - pick);
}

function byText(one: unknown, other: unknown): number {
  const [left, right] = [JSON.stringify(one), JSON.stringify(other)];
  return left < right ? -1 : Number(left > right);
}
