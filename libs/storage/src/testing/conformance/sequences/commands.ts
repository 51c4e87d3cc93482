import fc from 'fast-check';

/** Which of the values of its kind that were seen so far a command uses: 0 the newest, 1 the one before, … */
type Pick = number;

interface OfRun {
  readonly run: number;
  /** The client, and the worker by whose name it claims. */
  readonly worker: number;
  /** The call's first reply never comes: it is made again, and only the second answer is seen. */
  readonly replyLost: boolean;
}

export type CommitKind = 'continue' | 'open' | 'park-due' | 'park-far' | 'release' | 'completed' | 'failed' | 'cancelled' | 'set-aside';

/** One thing that a client or worker does. Plain data, so that a failing sequence can be read and shrunk. */
export type Command = OfRun &
  (
    | { readonly do: 'submit'; readonly request: number }
    | { readonly do: 'deliver'; readonly again: boolean }
    | { readonly do: 'claim'; readonly activation: Pick; readonly repeat: boolean }
    | {
        readonly do: 'commit';
        readonly kind: CommitKind;
        readonly token: Pick;
        /** Added to the revision that the owner believes in. */
        readonly revisionOff: number;
        readonly entry: number;
        readonly openAttempts: number | null;
        /** Parks with an inbox counter that nobody ever had. */
        readonly strangeInbox: boolean;
      }
    | { readonly do: 'look'; readonly token: Pick }
    | { readonly do: 'renew'; readonly token: Pick; readonly newToken: number }
    | { readonly do: 'heartbeat'; readonly token: Pick }
    | { readonly do: 'cancel'; readonly request: number }
    | { readonly do: 'lapse' }
    | { readonly do: 'pump'; readonly activationBudget: number }
    | { readonly do: 'take-back' }
    | { readonly do: 'remember' }
    | { readonly do: 'lose-writes' }
  );

const kinds: readonly CommitKind[] = [
  'continue',
  'open',
  'park-due',
  'park-far',
  'release',
  'completed',
  'failed',
  'cancelled',
  'set-aside',
];

/** Mostly the newest, sometimes a stale one. */
const pick = fc.oneof({ weight: 6, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.integer({ min: 1, max: 3 }) });
const seldom = fc.integer({ min: 0, max: 7 }).map((n) => n === 0);

const base = { run: fc.integer({ min: 0, max: 1 }), worker: fc.integer({ min: 0, max: 1 }), replyLost: seldom };

const commitKind = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom<CommitKind>('continue', 'open') },
  { weight: 2, arbitrary: fc.constantFrom<CommitKind>('park-due', 'park-far', 'release') },
  { weight: 1, arbitrary: fc.constantFrom(...kinds) },
);

/** Any command; those without which a run gets nowhere are the likeliest. */
const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ ...base, do: fc.constant('submit' as const), request: fc.integer({ min: 0, max: 1 }) }) },
  { weight: 2, arbitrary: fc.record({ ...base, do: fc.constant('deliver' as const), again: fc.boolean() }) },
  { weight: 7, arbitrary: fc.record({ ...base, do: fc.constant('claim' as const), activation: pick, repeat: seldom }) },
  {
    weight: 10,
    arbitrary: fc.record({
      ...base,
      do: fc.constant('commit' as const),
      kind: commitKind,
      token: pick,
      revisionOff: fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constantFrom(-2, -1, 1, 1) }),
      entry: fc.integer({ min: 0, max: 40 }),
      openAttempts: fc.constantFrom(null, 0, 1),
      strangeInbox: seldom,
    }),
  },
  { weight: 2, arbitrary: fc.record({ ...base, do: fc.constant('look' as const), token: pick }) },
  {
    weight: 1,
    arbitrary: fc.record({ ...base, do: fc.constant('renew' as const), token: pick, newToken: fc.integer({ min: 0, max: 5 }) }),
  },
  { weight: 2, arbitrary: fc.record({ ...base, do: fc.constant('heartbeat' as const), token: pick }) },
  { weight: 1, arbitrary: fc.record({ ...base, do: fc.constant('cancel' as const), request: fc.integer({ min: 0, max: 2 }) }) },
  { weight: 3, arbitrary: fc.record({ ...base, do: fc.constant('lapse' as const) }) },
  { weight: 4, arbitrary: fc.record({ ...base, do: fc.constant('pump' as const), activationBudget: fc.integer({ min: 1, max: 4 }) }) },
  { weight: 1, arbitrary: fc.record({ ...base, do: fc.constant('take-back' as const) }) },
  { weight: 1, arbitrary: fc.record({ ...base, do: fc.constant('remember' as const) }) },
  { weight: 1, arbitrary: fc.record({ ...base, do: fc.constant('lose-writes' as const) }) },
);

/** Up to 30 commands; the first two submit a run and claim it, since little can happen before. */
export const sequences: fc.Arbitrary<readonly Command[]> = fc
  .tuple(fc.record(base), fc.array(command, { minLength: 8, maxLength: 28 }))
  .map(([first, rest]) => [{ ...first, do: 'submit', request: 0 }, { ...first, do: 'claim', activation: 0, repeat: false }, ...rest]);
