import { describe, expect, it } from '@jest/globals';
import { waitUntil } from './wait-until.js';

describe('waitUntil', () => {
  it('answers the first answer that is neither undefined nor false', async () => {
    const answers = [undefined, false, 0] as const;
    let asked = 0;
    await expect(waitUntil({ name: 'an answer', pollMs: 1 }, () => answers[asked++])).resolves.toBe(0);
    expect(asked).toBe(3);
  });

  it('names the wait when its limit is reached', async () => {
    await expect(waitUntil({ name: 'a bus', limitMs: 5, pollMs: 1 }, () => false)).rejects.toThrow('waited 5 ms for a bus');
  });

  it('passes on at once what the probe throws', async () => {
    await expect(waitUntil({ name: 'a bus' }, () => Promise.reject(new Error('no road')))).rejects.toThrow('no road');
  });
});
