import { describe, expect, it } from '@jest/globals';
import { settleAll } from './settle-all.js';

describe('settleAll', () => {
  it('answers in the order of the members, also when there are more than a window', async () => {
    const members = Array.from({ length: 2_500 }, (_, n) => n);
    expect(await settleAll(members, async (member) => member * 2)).toEqual(members.map((member) => member * 2));
  });

  it('does every member before it throws the first failure', async () => {
    const done: number[] = [];
    const failing = settleAll([1, 2, 3, 4], async (member) => {
      if (member % 2 === 0) throw new Error(`member ${member}`);
      done.push(member);
    });
    await expect(failing).rejects.toThrow('member 2');
    expect(done).toEqual([1, 3]);
  });

  it('has at most 1,000 under way', async () => {
    let underWay = 0;
    let most = 0;
    await settleAll(Array.from({ length: 3_000 }), async () => {
      underWay += 1;
      most = Math.max(most, underWay);
      await Promise.resolve();
      underWay -= 1;
    });
    expect(most).toBe(1_000);
  });
});
