import { readFileSync } from 'node:fs';
import { getHeapStatistics } from 'node:v8';
import type { Limits } from './scenario.js';

const LOOK_EVERY_MS = 200;
const GIB = 2 ** 30;
const DEFAULT_REDIS_BYTES = 2 * GIB;
const PAGE_BYTES = 4096;

/** A budget was passed; the message says which. */
export class BudgetPassed extends Error {
  override readonly name = 'BudgetPassed';
}

/**
 * Looks five times a second at this process's heap and at the server's memory, without asking the server: a question would be
 * counted among its bytes and commands. The returned function ends it.
 */
export function watchBudgets(limits: Limits, redisPid: number, onPassed: (passed: BudgetPassed) => void): () => void {
  const { heapBytes = defaultHeapBytes(), redisBytes = DEFAULT_REDIS_BYTES } = limits;
  const timer = setInterval(() => {
    const heap = process.memoryUsage().heapUsed;
    const resident = residentBytes(redisPid);
    if (heap > heapBytes) onPassed(new BudgetPassed(`the heap holds ${heap} of ${heapBytes} bytes`));
    else if (resident > redisBytes) onPassed(new BudgetPassed(`Redis holds ${resident} of ${redisBytes} bytes`));
  }, LOOK_EVERY_MS);
  return () => clearInterval(timer);
}

function defaultHeapBytes(): number {
  return Math.min(4 * GIB, 0.9 * getHeapStatistics().heap_size_limit);
}

/** 0 where the system has no /proc, and when the process is gone. */
function residentBytes(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * PAGE_BYTES;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
    throw error;
  }
}
