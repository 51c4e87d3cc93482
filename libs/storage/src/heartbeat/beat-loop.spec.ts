import { describe, expect, it } from '@jest/globals';
import type { HeartbeatAnswer, HeldClaim } from '@millrace/durable';
import { FakeClock } from '@millrace/durable/testing';
import { BeatBoard } from './beat-board.js';
import { BeatLoop } from './beat-loop.js';
import type { BeatReport } from './beat-messages.js';

const leaseMs = 6000;
const hold = (command: bigint, slot: number, runId: string) =>
  ({ kind: 'hold', command, slot, runId, token: `t${command}`, inbox: '0' }) as const;

function setUp() {
  const clock = new FakeClock();
  const board = BeatBoard.forClaims(4);
  const sent: HeldClaim[][] = [];
  const reports: BeatReport[] = [];
  const state: { answer: () => Promise<Partial<HeartbeatAnswer>> } = { answer: () => Promise.resolve({}) };
  const now = () => BigInt(Math.round(clock.monotonic() * 1e6));
  const loop = new BeatLoop({
    board,
    leaseMs,
    heartbeatMs: 2000,
    maxBlockMs: 10_000,
    now,
    send: async ({ claims }) => {
      sent.push([...claims]);
      return { now: 1, lost: [], moved: [], ...(await state.answer()) };
    },
    report: (report) => reports.push(report),
    after: (ms, callback) => clock.after(ms, callback),
  });
  board.tick(now());
  return { clock, board, loop, sent, reports, state, now };
}

describe('BeatLoop', () => {
  it('proves what was held when the beat was sent, and nothing that came later', async () => {
    const { board, loop, state, clock, now } = setUp();
    clock.advance(100);
    loop.handle(hold(1n, 0, 'a'));
    let finish = (): void => undefined;
    state.answer = () => new Promise((resolve) => (finish = () => resolve({})));
    const sentAt = now();
    const beat = loop.tick();
    loop.handle(hold(2n, 1, 'b'));
    clock.advance(700);
    finish();
    await beat;
    expect(board.readProof()).toEqual({ sentAt, covers: 1n });
  });

  it('beats at an even pace, and at once again while beats fail', async () => {
    const { clock, loop, sent, reports, state } = setUp();
    loop.start();
    await clock.advanceInTurns(6000);
    expect(sent).toHaveLength(3);
    state.answer = () => Promise.reject(new Error('away'));
    await clock.advanceInTurns(2000);
    expect(reports.at(-1)).toEqual({ kind: 'failed', message: 'away', retryInMs: 250 });
    await clock.advanceInTurns(1000);
    expect(sent).toHaveLength(8);
    await loop.stop();
  });

  it('does not prove anything by a beat that failed', async () => {
    const { board, loop, state } = setUp();
    loop.handle(hold(1n, 0, 'a'));
    state.answer = () => Promise.reject(new Error('away'));
    await loop.tick();
    expect(board.readProof().covers).toBe(0n);
  });

  it('marks a loss for the command that was sent, before it proves the beat', async () => {
    const { board, loop, reports, state } = setUp();
    loop.handle(hold(1n, 0, 'a'));
    loop.handle(hold(2n, 3, 'b'));
    state.answer = () => Promise.resolve({ lost: ['b'], moved: ['a'] });
    const order: string[] = [];
    const [mark, prove] = [board.markLost.bind(board), board.prove.bind(board)];
    board.markLost = (...args) => {
      order.push('loss');
      mark(...args);
    };
    board.prove = (proof) => {
      order.push('proof');
      prove(proof);
    };
    await loop.tick();
    expect(order).toEqual(['loss', 'proof']);
    expect([board.isLost(3, 2n), board.isLost(3, 5n), board.isLost(0, 1n)]).toEqual([true, false, false]);
    expect(reports).toMatchObject([{ kind: 'beaten', lost: [{ slot: 3, command: 2n }], moved: [{ slot: 0, command: 1n, inbox: '0' }] }]);
  });

  it('beats with the newest token and inbox, and not for what was dropped', async () => {
    const { loop, sent } = setUp();
    loop.handle(hold(1n, 0, 'a'));
    loop.handle(hold(2n, 1, 'b'));
    loop.handle({ kind: 'looked', slot: 0, inbox: '7' });
    loop.handle({ kind: 'looked', slot: 2, inbox: '7' });
    loop.handle({ kind: 'drop', slot: 1 });
    await loop.tick();
    expect(sent).toEqual([[{ runId: 'a', token: 't1', inbox: '7' }]]);
  });

  it('ceases while the main loop stands still, says so once, and goes on when it lives', async () => {
    const { clock, board, loop, sent, reports, now } = setUp();
    loop.start();
    await clock.advanceInTurns(20_000);
    expect(sent).toHaveLength(5);
    expect(reports.filter(({ kind }) => kind === 'stalled')).toMatchObject([{ blockedMs: 12_000 }]);
    board.tick(now());
    await clock.advanceInTurns(250);
    expect(sent).toHaveLength(6);
    await loop.stop();
  });

  it('starts and stops a hundred times', async () => {
    const { clock, board, loop, sent, now } = setUp();
    for (let round = 1; round <= 100; round++) {
      board.tick(now());
      loop.start();
      loop.start();
      await clock.advanceInTurns(2000);
      await loop.stop();
      expect([sent.length, clock.pendingCount]).toEqual([round, 0]);
    }
  });
});
