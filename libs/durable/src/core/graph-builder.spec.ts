import { describe, expect, it } from '@jest/globals';
import { graph } from './graph-builder.js';
import { graphDigest } from './graph-digest.js';

const resize = { name: 'resize', execute: (_task: { readonly attempt: number }, input: { readonly width: number }) => input.width };

describe('graph builder', () => {
  it('makes the same data as JSON does', () => {
    const g = graph('thumbnails');
    const fetched = g.node('fetch', 'fetch-image', {
      input: { url: 'x' },
      attempts: 5,
      timeout: '10s',
      backoff: { type: 'fixed', delay: '1s' },
    });
    g.node('small', resize, { input: { width: 100 }, after: [fetched] });
    g.node('done', 'notify', { after: ['small', fetched] });
    expect(g.name).toBe('thumbnails');
    expect(JSON.parse(JSON.stringify(g.build()))).toEqual({
      nodes: [
        { id: 'fetch', task: 'fetch-image', input: { url: 'x' }, attempts: 5, timeout: '10s', backoff: { type: 'fixed', delay: '1s' } },
        { id: 'small', task: 'resize', input: { width: 100 }, after: ['fetch'] },
        { id: 'done', task: 'notify', after: ['small', 'fetch'] },
      ],
    });
  });

  it('checks a node’s input against the type of its task', () => {
    const g = graph('thumbnails');
    // @ts-expect-error the width is a number
    g.node('small', resize, { input: { width: 'wide' } });
    expect(g.build().nodes).toHaveLength(1);
  });

  it('lets nodes name later ones and checks the whole at the end', () => {
    const g = graph('g');
    g.node('b', 't', { after: ['a'] });
    expect(() => g.build()).toThrow(/nodes\[0\]\.after\[0\] names the unknown node "a"/);
    g.node('a', 't');
    expect(g.build().nodes.map(({ id }) => id)).toEqual(['b', 'a']);
    expect(() => g.build({ maxNodes: 1 })).toThrow(/more than 1/);
  });

  it('does not change a graph that was built', () => {
    const g = graph('g');
    g.node('a', 't');
    const built = g.build();
    g.node('b', 't');
    expect(built.nodes).toHaveLength(1);
    expect(Object.isFrozen(built.nodes)).toBe(true);
  });

  it('refuses a name that is no identifier', () => {
    expect(() => graph('my graph')).toThrow(/workflow name/);
  });
});

describe('graph digest', () => {
  const digest = (...nodes: object[]) => graphDigest({ nodes: nodes as never });

  it('is equal for equal graphs, however they are written', () => {
    const a = digest({ id: 'a', task: 't', input: { x: 1, y: [2] } }, { id: 'b', task: 't' }, { id: 'c', task: 't', after: ['a', 'b'] });
    expect(a).toMatch(/^[0-9a-f]{64}$/);
    expect(
      digest(
        { task: 't', input: { y: [2], x: 1 }, id: 'a', after: [] },
        { id: 'b', task: 't', timeout: undefined },
        { id: 'c', after: ['b', 'a'], task: 't' },
      ),
    ).toBe(a);
  });

  it('differs for every difference that matters', () => {
    const digests = [
      digest({ id: 'a', task: 't' }),
      digest({ id: 'b', task: 't' }),
      digest({ id: 'a', task: 'u' }),
      digest({ id: 'a', task: 't', input: null }),
      digest({ id: 'a', task: 't', input: [1] }),
      digest({ id: 'a', task: 't', attempts: 2 }),
      digest({ id: 'a', task: 't' }, { id: 'b', task: 't' }),
      digest({ id: 'b', task: 't' }, { id: 'a', task: 't' }),
      digest({ id: 'a', task: 't' }, { id: 'b', task: 't', after: ['a'] }),
    ];
    expect(new Set(digests).size).toBe(digests.length);
  });
});
