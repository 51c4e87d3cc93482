import { describe, expect, it } from '@jest/globals';
import { InvalidInput, StoreUnavailable } from '@millrace/durable';
import { FakeClock } from '@millrace/durable/testing';
import { MemoryStorage } from './memory-storage.js';

const lane = { queue: 'default', workflow: 'w', version: 1 };
const submission = (runId: string, requestId = `request of ${runId}`) => ({ runId, lane, input: '1', digest: 'd', requestId });

describe('MemoryStorage', () => {
  it('shares its data between clients, and not with a storage that was opened anew', async () => {
    const first = await MemoryStorage.open();
    const second = await first.connect();
    const other = await MemoryStorage.open();
    await first.runs.submit([submission('r')]);
    expect(await second.inspector.getRun('r')).toMatchObject({ runId: 'r' });
    expect(await other.inspector.getRun('r')).toBeNull();
  });

  it('refuses a namespace and numbers of partitions that Redis would refuse', async () => {
    await expect(MemoryStorage.open({ namespace: 'A{b}' })).rejects.toThrow(InvalidInput);
    for (const partitions of [0, -1, 1.5, 4_097]) {
      await expect(MemoryStorage.open({ partitions })).rejects.toThrow(InvalidInput);
    }
  });

  it('takes its time from the clock’s wall', async () => {
    const clock = new FakeClock({ wall: 1_000 });
    const storage = await MemoryStorage.open({ clock });
    clock.advance(25.5);
    expect(await storage.runs.now()).toBe(1_025);
  });

  it('answers in a later turn of the event loop, as a server does', async () => {
    const storage = await MemoryStorage.open();
    let answered = false;
    const call = storage.runs.now().then(() => {
      answered = true;
    });
    await Promise.resolve();
    expect(answered).toBe(false);
    await call;
    expect(answered).toBe(true);
  });

  it('hands out copies: what a caller does to an answer changes no record', async () => {
    const storage = await MemoryStorage.open();
    const request = { ...submission('r'), lane: { ...lane } };
    await storage.runs.submit([request]);
    request.lane.queue = 'changed';
    const head = await storage.inspector.getRun('r');
    Object.assign(head?.lane ?? {}, { queue: 'changed' });
    expect((await storage.inspector.getRun('r'))?.lane).toEqual(lane);
  });

  describe('faults', () => {
    it('lose a reply and repeat: the call is applied once, its repetition is answered', async () => {
      const storage = await MemoryStorage.open();
      storage.loseReply('submit');
      const [answer] = await storage.runs.submit([submission('r')]);
      expect(answer?.outcome).toBe('created');
      expect(await storage.inspector.laneDepth('default|w|1')).toBe(1);
    });

    it('lose a reply and throw: the call was applied, and the caller does not know', async () => {
      const storage = await MemoryStorage.open();
      storage.loseReply('submit', 'throw');
      await expect(storage.runs.submit([submission('r')])).rejects.toThrow(StoreUnavailable);
      expect(await storage.inspector.getRun('r')).not.toBeNull();
    });

    it('refuse a call: nothing is applied; the next one goes through', async () => {
      const storage = await MemoryStorage.open();
      storage.faults.refuse('submit');
      await expect(storage.runs.submit([submission('r')])).rejects.toThrow(StoreUnavailable);
      expect(await storage.inspector.getRun('r')).toBeNull();
      await storage.runs.submit([submission('r')]);
      expect(await storage.inspector.getRun('r')).not.toBeNull();
    });

    it('hold a call on its way until it is released', async () => {
      const storage = await MemoryStorage.open();
      const held = storage.faults.hold('submit');
      const call = storage.runs.submit([submission('r')]);
      await held.reached;
      expect(await storage.inspector.getRun('r')).toBeNull();
      held.release();
      await call;
      expect(await storage.inspector.getRun('r')).not.toBeNull();
    });

    it('take one client down, not the others', async () => {
      const first = await MemoryStorage.open();
      const second = await first.connect();
      first.faults.goDown();
      await expect(first.runs.now()).rejects.toThrow(StoreUnavailable);
      await second.runs.now();
      first.faults.comeBack();
      await first.runs.now();
      await first.close();
      await expect(first.runs.now()).rejects.toThrow(StoreUnavailable);
    });
  });

  it('loses the writes since a snapshot, for all clients, as often as it is restored', async () => {
    const first = await MemoryStorage.open();
    const second = await first.connect();
    await first.runs.submit([submission('kept')]);
    const snapshot = first.snapshot();
    for (const runId of ['lost', 'lost again']) {
      await first.runs.submit([submission(runId)]);
      first.restore(snapshot);
      expect(await second.inspector.getRun(runId)).toBeNull();
    }
    expect(await second.inspector.getRun('kept')).not.toBeNull();
  });

  describe('checkInvariants', () => {
    const broken: Record<string, (storage: MemoryStorage) => void> = {
      'exactly the runs that are running have a claim': (storage) => {
        record(storage).token = '1.x';
      },
      'exactly the runs that are queued have an activation': (storage) => {
        record(storage).activation = null;
      },
      'the activation is the only entry of the run': (storage) => storage.server.partitionOf('r').lanes.clear(),
      'have a timer, and it is due then': (storage) => storage.server.partitionOf('r').timers.set('r', 5),
      'the run is in the index of its status': (storage) => storage.server.partitionOf('r').index.clear(),
      'exactly the runs that are terminal have an end': (storage) => {
        record(storage).endedAt = record(storage).createdAt;
      },
      'a lease points to run nobody': (storage) => storage.server.partitionOf('r').leases.set('nobody', 5),
      'open attempts are charged to a claim': (storage) => {
        record(storage).openAttempts = 1;
      },
    };

    it.each(Object.keys(broken))('says of a store that contradicts itself: %s', async (rule) => {
      const storage = await MemoryStorage.open();
      await storage.runs.submit([submission('r')]);
      storage.checkInvariants();
      broken[rule]?.(storage);
      expect(() => storage.checkInvariants()).toThrow(rule);
    });
  });
});

function record(storage: MemoryStorage) {
  const found = storage.server.readRecord('r');
  if (found === null) {
    throw new Error('run r was to be there');
  }
  return found;
}
