import { describe, expect, it } from '@jest/globals';
import { FollowedPartitions } from './followed-partitions.js';

function setUp() {
  const asked: number[] = [];
  const followed = new FollowedPartitions(async (partition) => {
    asked.push(partition);
    return `${asked.length}-${partition}`;
  });
  return { asked, followed };
}

describe('FollowedPartitions', () => {
  it('takes what is wanted with a position that is asked for once', async () => {
    const { asked, followed } = setUp();
    followed.add(3);
    const leave = followed.add(3);
    await Promise.all([followed.findEnd(3), followed.findEnd(3)]);
    leave();
    leave();
    expect(await followed.take()).toEqual([3]);
    expect([asked, followed.positionOf(3)]).toEqual([[3], '1-3']);
  });

  it('forgets what nobody wants, and asks anew when somebody does', async () => {
    const { asked, followed } = setUp();
    const leave = followed.add(3);
    expect(await followed.take()).toEqual([3]);
    leave();
    expect(await followed.take()).toEqual([]);
    followed.add(3);
    expect(await followed.take()).toEqual([3]);
    expect([asked, followed.positionOf(3)]).toEqual([[3, 3], '2-3']);
  });

  it('concerns each server with its own partitions', async () => {
    const { asked, followed } = setUp();
    followed.add(3);
    expect(await followed.take([0, 1])).toEqual([]);
    expect([followed.hasOtherThan([], [0, 1]), followed.hasOtherThan([], [2, 3]), followed.hasOtherThan([3])]).toEqual([
      false,
      true,
      false,
    ]);
    expect(asked).toEqual([]);
  });
});
