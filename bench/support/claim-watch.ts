import { Redis } from 'ioredis';

/**
 * Hears of the first claim after it began: a claim writes its lease, and Redis tells of that by a notification. It costs the steps
 * nothing, since a commit writes no lease. Heartbeats write leases too, but the first of them comes seconds after the claim.
 */
export class ClaimWatch {
  private heardAt: bigint | null = null;

  private constructor(private readonly redis: Redis) {
    redis.on('pmessage', (_pattern: string, _channel: string, event: string) => {
      if (event === 'zadd') this.heardAt ??= process.hrtime.bigint();
    });
  }

  /** Of any run of the namespace `default`. */
  static async start(port: number): Promise<ClaimWatch> {
    const redis = new Redis(port, '127.0.0.1');
    // A connection that listens takes no other commands, so the setting comes first.
    await redis.config('SET', 'notify-keyspace-events', 'Kz');
    const watch = new ClaimWatch(redis);
    await redis.psubscribe('__keyspace@0__:{default:*}:leases');
    return watch;
  }

  /** CLOCK_MONOTONIC, ns; null while there was none. */
  get firstAt(): bigint | null {
    return this.heardAt;
  }

  close(): void {
    this.redis.disconnect();
  }
}
