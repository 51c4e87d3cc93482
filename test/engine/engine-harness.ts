import {
  type ClaimedRun,
  type DurableEvent,
  defaultBackoff,
  type EngineDeps,
  FunctionSlots,
  type RunExit,
  RunExecution,
  type RunHead,
  type RunStore,
  systemRandomness,
  type TaskDefinition,
  type WorkflowDefinition,
  type RunContext,
} from '@millrace/durable';
import { eventLog, FakeClock } from '@millrace/durable/testing';
import { createPayloadCodec, errorCodec, MemoryStorage } from '@millrace/storage';

const LEASE_MS = 15_000;

/** Codec of the engine tests: the product's own. */
const codec = { ...createPayloadCodec(), ...errorCodec };

export function workflowOf(run: (run: RunContext, input: never) => Promise<unknown>, name = 'flow'): WorkflowDefinition {
  return { name, version: 1, queue: 'default', inputSchema: null, parseInput: (input) => input, run };
}

/** A fake clock, a memory store and the engine's parts, without a worker's loops: a test claims and drives by hand. */
export class EngineHarness {
  readonly log = eventLog();
  readonly slots: FunctionSlots;
  readonly deps: EngineDeps;
  isAlive = true;

  private constructor(
    readonly clock: FakeClock,
    readonly storage: MemoryStorage,
    options: Readonly<{ concurrency?: number; tasks?: readonly TaskDefinition[] }>,
  ) {
    this.slots = new FunctionSlots(options.concurrency ?? 50);
    this.deps = {
      store: storage.runs,
      codec,
      clock,
      random: systemRandomness,
      serverClock: { now: () => clock.wall() },
      slots: this.slots,
      tasks: new Map((options.tasks ?? []).map((task) => [task.name, task])),
      options: { leaseMs: LEASE_MS, lingerMs: 2_000, interruptions: 20, abandonMs: 25_000, attempts: 3, backoff: defaultBackoff },
      emit: this.log.emit,
      onTokenChanged: () => undefined,
    };
  }

  static async open(
    options: Readonly<{ concurrency?: number; tasks?: readonly TaskDefinition[]; on?: EngineHarness }> = {},
  ): Promise<EngineHarness> {
    const clock = options.on?.clock ?? new FakeClock();
    const storage = options.on ? await options.on.storage.connect() : await MemoryStorage.open({ clock, partitions: 1 });
    return new EngineHarness(clock, storage, options);
  }

  async submit(runId: string, input: unknown = null, workflow = 'flow'): Promise<void> {
    const lane = { queue: 'default', workflow, version: 1 };
    await this.storage.runs.submit([{ runId, lane, input: codec.encode(input), digest: 'd', requestId: systemRandomness.bits64() }]);
  }

  /** Claims the next activation of the workflow's lane. The execution works through `store`. */
  async claim(workflow: WorkflowDefinition, store: RunStore = this.storage.runs): Promise<RunExecution> {
    const lanes = this.storage.lanes([{ queue: workflow.queue, workflow: workflow.name, version: workflow.version }]);
    const [activation] = await lanes.read(1);
    if (!activation) throw new Error('the lane is empty');
    const [answer] = await this.storage.runs.claim([
      {
        ...activation,
        tokenBits: systemRandomness.bits64(),
        owner: 'w#1',
        leaseMs: LEASE_MS,
        activationBudget: 5,
        setAsideError: codec.encodeError(new Error('budget')),
      },
    ]);
    if (answer?.kind !== 'claimed') throw new Error(`the claim was ${answer?.kind}`);
    const claimed: ClaimedRun = { head: answer.head, workflow, guard: { isAlive: () => this.isAlive } };
    return new RunExecution({ ...this.deps, store }, claimed);
  }

  async drive(workflow: WorkflowDefinition): Promise<RunExit> {
    return (await this.claim(workflow)).drive();
  }

  /** Submits, claims and drives to the exit. */
  async run(body: (run: RunContext, input: never) => Promise<unknown>, input: unknown = null, runId = 'r1'): Promise<RunExit> {
    await this.submit(runId, input);
    return this.drive(workflowOf(body));
  }

  async head(runId = 'r1'): Promise<RunHead> {
    const head = await this.storage.inspector.getRun(runId);
    if (!head) throw new Error(`there is no run ${runId}`);
    return head;
  }

  async output(runId = 'r1'): Promise<unknown> {
    const { output } = await this.head(runId);
    return output === null ? null : codec.decode(output);
  }

  async error(runId = 'r1'): Promise<Error & { code?: string; cause?: unknown }> {
    const { error } = await this.head(runId);
    return codec.decodeError(error ?? '');
  }

  /** The claim's worker dies: nothing of it is heard any more, its lease lapses and the claim is buried. */
  async dieAndBury(): Promise<void> {
    this.clock.advance(LEASE_MS + 1);
    await this.storage.runs.pump({ limit: 100, activationBudget: 5, setAsideError: codec.encodeError(new Error('budget')) });
  }

  async pump(): Promise<void> {
    await this.storage.runs.pump({ limit: 100, activationBudget: 5, setAsideError: codec.encodeError(new Error('budget')) });
  }

  events(type: DurableEvent['type']): DurableEvent[] {
    return this.log.events.filter((event) => event.type === type);
  }
}

/** A promise that a test settles. */
export function gate<T = void>(): { readonly opened: Promise<T>; open(value: T): void; fail(error: unknown): void } {
  let open!: (value: T) => void;
  let fail!: (error: unknown) => void;
  const opened = new Promise<T>((resolve, reject) => {
    open = resolve;
    fail = reject;
  });
  return { opened, open, fail };
}

/** Lets everything that is ready now happen: turns of the event loop, not time. */
export async function settle(turns = 30): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
}
