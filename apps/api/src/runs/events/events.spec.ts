import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { FakeClock } from '@millrace/durable/testing';
import { tracked } from '@millrace/storage/testing';
import { type ApiHarness, startApi } from '../../testing/api-harness.js';
import { Owner, step } from '../../testing/owner.js';

const track = tracked(afterEach);
const anyLane = { queue: 'default', workflow: 'any', version: 1 };

interface StreamEvent {
  readonly event: string;
  readonly id: string;
  readonly data: Record<string, unknown> & { steps: Array<Record<string, unknown>> };
}

/** The events of a stream that has ended. */
function eventsOf(body: string): StreamEvent[] {
  return body
    .split('\n\n')
    .filter((block) => block.startsWith('event: '))
    .map((block) =>
      Object.fromEntries(block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)])),
    )
    .map(({ event = '', id = '', data = '{}' }) => ({ event, id, data: JSON.parse(data) }));
}

async function startRun(api: ApiHarness): Promise<Owner> {
  await api.post('/v1/runs', { workflow: 'any', runId: 'r' });
  return Owner.claim(api.storage, anyLane);
}

const names = (events: readonly StreamEvent[]) =>
  events.filter(({ event }) => event === 'steps').flatMap(({ data }) => data.steps.map(({ name }) => name));

describe('GET /v1/runs/:runId/events', () => {
  it('tells a run that has ended: every commit with outcomes, then the end, then it closes', async () => {
    const api = await track(startApi());
    const owner = await startRun(api);
    await owner.commit([[0, step('one', 1)]]);
    await owner.commit([
      [1, step('two', 3)],
      [2, step('three', 2)],
    ]);
    await owner.complete('1');
    const answer = await api.get('/v1/runs/r/events');
    expect(answer.headers['content-type']).toBe('text/event-stream; charset=utf-8');
    const events = eventsOf(answer.body);
    expect(events.map(({ event, id }) => [event, id])).toEqual([
      ['steps', '1'],
      ['steps', '2'],
      ['end', '3.end'],
    ]);
    expect(names(events)).toEqual(['one', 'three', 'two']);
    expect(events[2]?.data).toEqual({ runId: 'r', status: 'completed', cancelling: false, revision: 3 });
  });

  it('goes on after every id: each outcome once and in order, over any number of cuts (B126)', async () => {
    const api = await track(startApi());
    const owner = await startRun(api);
    for (let number = 0; number < 20; number += 1) await owner.commit([[number, step(`s${number}`, number + 1)]]);
    await owner.complete('1');
    const all = Array.from({ length: 20 }, (_, number) => `s${number}`);
    for (let revision = 0; revision <= 21; revision += 1) {
      const events = eventsOf((await api.get('/v1/runs/r/events', { 'last-event-id': String(revision) })).body);
      expect(names(events)).toEqual(all.slice(revision));
      expect(events.at(-1)?.event).toBe('end');
    }
  });

  it('answers 204 to who has read the end, so that a browser stops asking', async () => {
    const api = await track(startApi());
    await (await startRun(api)).complete('1');
    const [end] = eventsOf((await api.get('/v1/runs/r/events')).body);
    const answer = await api.get('/v1/runs/r/events', { 'last-event-id': end?.id ?? '' });
    expect([answer.statusCode, answer.body]).toEqual([204, '']);
  });

  it('tells the end also of a run that nobody owned when it ended', async () => {
    const api = await track(startApi());
    await api.post('/v1/runs', { workflow: 'any', runId: 'r' });
    const open = api.get('/v1/runs/r/events', { 'last-event-id': '0' });
    await api.post('/v1/runs/r/cancel');
    const events = eventsOf((await open).body);
    expect(events.at(-1)).toMatchObject({ event: 'end', id: '0.end', data: { status: 'cancelled' } });
  });

  it('follows a live run for every reader alike (B127, B129)', async () => {
    const api = await track(startApi());
    await api.post('/v1/runs', { workflow: 'any', runId: 'r' });
    const streams = [1, 2, 3].map(() => api.get('/v1/runs/r/events'));
    const owner = await Owner.claim(api.storage, anyLane);
    for (let number = 0; number < 50; number += 1) await owner.commit([[number, step(`s${number}`, number + 1)]]);
    await owner.complete('1');
    for (const stream of await Promise.all(streams)) {
      const events = eventsOf(stream.body);
      expect(names(events)).toEqual(Array.from({ length: 50 }, (_, number) => `s${number}`));
      expect(events.at(-1)?.event).toBe('end');
    }
  });

  it('answers HEAD at once', async () => {
    const api = await track(startApi());
    await startRun(api);
    const answer = await api.call('HEAD', '/v1/runs/r/events');
    expect([answer.statusCode, answer.body]).toEqual([200, '']);
  });

  it('says that the record went back, and tells everything anew', async () => {
    const api = await track(startApi());
    const owner = await startRun(api);
    await owner.commit([[0, step('one', 1)]]);
    await owner.complete('1');
    const events = eventsOf((await api.get('/v1/runs/r/events', { 'last-event-id': '99' })).body);
    expect(events.map(({ event }) => event)).toEqual(['resync', 'steps', 'end']);
    expect(events[0]?.data).toMatchObject({ readUpTo: 99, revision: 2 });
  });

  describe('with an id that is none', () => {
    let api: ApiHarness;
    beforeAll(async () => {
      api = await startApi();
      await startRun(api);
    });
    afterAll(() => api.close());

    it.each(['abc', '', '-1', '1.5', '1.end.end', 'x.end', '1e3', ' ', '9'.repeat(16)])('refuses %j (B126)', async (id) => {
      expect((await api.get('/v1/runs/r/events', { 'last-event-id': id })).json()).toMatchObject({
        status: 400,
        problems: [{ path: 'Last-Event-ID' }],
      });
    });
  });

  it('sends a comment after 15 s of silence, and a hint when the service stops', async () => {
    const clock = new FakeClock();
    const api = await track(startApi({ deps: { clock } }));
    await startRun(api);
    const open = api.get('/v1/runs/r/events');
    for (let second = 0; second < 31; second += 1) await clock.advanceInTurns(1_000);
    await api.close();
    const { body } = await open;
    expect(body.startsWith('retry: 1000\n\n')).toBe(true);
    expect(body.endsWith('retry: 1000\n: the service stops, come back to another\n\n')).toBe(true);
    expect(eventsOf(body).map(({ event }) => event)).toEqual(['status']);
    expect(body.split(': heartbeat\n\n')).toHaveLength(3);
  });
});
