import { describe, expect, it } from '@jest/globals';
import { ConfigurationError } from '../core/errors.js';
import { task, workflow } from '../engine/define.js';
import { resolveServed } from './served.js';

const run = () => Promise.resolve(null);
const ship = workflow({ name: 'ship', version: 1 }, run);
const shipNext = workflow({ name: 'ship', version: 2 }, run);
const print = workflow({ name: 'print', version: 1, queue: 'printing' }, run);

describe('resolveServed', () => {
  it('derives the lanes from the workflows', () => {
    expect(resolveServed([ship, shipNext, print], [], null).lanes).toEqual([
      { queue: 'default', workflow: 'ship', version: 1 },
      { queue: 'default', workflow: 'ship', version: 2 },
      { queue: 'printing', workflow: 'print', version: 1 },
    ]);
  });

  it('serves only the queues that were chosen', () => {
    expect(resolveServed([ship, print], [], ['printing']).lanes).toEqual([{ queue: 'printing', workflow: 'print', version: 1 }]);
  });

  it('refuses a worker that would be idle for ever', () => {
    expect(() => resolveServed([], [], null)).toThrow(ConfigurationError);
  });

  it('names everything that is given twice or is no definition', () => {
    const label = task({ name: 'label' }, () => 1);
    const wrong = { ...ship, name: 'no good', version: 1.5 };
    expect(() => resolveServed([ship, ship, wrong], [label, label], null)).toThrow(
      /name "no good" has[\s\S]*version must be a whole number[\s\S]*workflow ship version 1 is given twice[\s\S]*task label is given twice/,
    );
  });
});
