import { describe, expect, it } from '@jest/globals';
import { tracked } from './tracked.js';

describe('tracked', () => {
  it('ends what was opened, last first, by whichever verb it has', async () => {
    const { track, afterTest } = trackedByHand();
    const ended: string[] = [];
    await track({ close: () => ended.push('closed') });
    await track(Promise.resolve({ stop: async () => ended.push('stopped') }));
    await track({ disconnect: () => ended.push('disconnected') });
    await track({ quit: () => ended.push('quit') });
    await afterTest();
    expect(ended).toEqual(['quit', 'disconnected', 'stopped', 'closed']);
  });

  it('ends each resource once', async () => {
    const { track, afterTest } = trackedByHand();
    const ended: string[] = [];
    await track({ close: () => ended.push('closed') });
    await afterTest();
    await afterTest();
    expect(ended).toEqual(['closed']);
  });

  it('ends the others when one fails, then says so', async () => {
    const { track, afterTest } = trackedByHand();
    const ended: string[] = [];
    await track({ close: () => ended.push('closed') });
    await track({ close: () => Promise.reject(new Error('stuck')) });
    await expect(afterTest()).rejects.toMatchObject({ errors: [new Error('stuck')] });
    expect(ended).toEqual(['closed']);
  });

  it('hands back what it was given, and passes on the failure to open it', async () => {
    const { track, afterTest } = trackedByHand();
    const resource = { close: () => undefined };
    await expect(track(resource)).resolves.toBe(resource);
    await expect(track(Promise.reject<typeof resource>(new Error('never opened')))).rejects.toThrow('never opened');
    await afterTest();
  });
});

function trackedByHand(): { track: ReturnType<typeof tracked>; afterTest: () => Promise<void> } {
  let hook: (() => Promise<void>) | undefined;
  const track = tracked((given) => {
    hook = given;
  });
  return { track, afterTest: async () => hook?.() };
}
