import { describe, expect, it } from '@jest/globals';
import type { InvalidInput, Problem } from './errors.js';
import type { Graph } from './graph.js';
import { type GraphLimits, validateGraph } from './graph-validation.js';

function problemsOf(value: unknown, limits?: GraphLimits): readonly Problem[] {
  try {
    validateGraph(value, limits);
  } catch (error) {
    return (error as InvalidInput).details.problems;
  }
  return [];
}
const node = (id: string, ...after: string[]) => ({ id, task: 't', after });

describe('validateGraph', () => {
  it('accepts a graph with everything a node may have, and gives the same value back', () => {
    const graph = {
      nodes: [
        {
          id: 'a',
          task: 'fetch',
          input: { url: 'x', lines: [1, null] },
          attempts: 5,
          timeout: '10s',
          backoff: { type: 'exponential', delay: '1s', max: '1m' },
        },
        { id: 'constructor', task: 'fetch', after: ['a'], input: null },
        { id: 'b', task: 'join', after: ['constructor', 'a'], timeout: 500 },
      ],
    };
    expect(validateGraph(graph)).toBe(graph);
  });

  it('names all faults of a graph in one error (B118)', () => {
    const graph = {
      nodes: [
        { id: 'a', task: 't', after: ['nope', 'a', 'b', 'b'] },
        { id: 'b', task: 'bad task', attempts: 0, timeout: 0, backoff: { type: 'linear', delay: 1 } },
        { id: 'b', task: 't', afterr: [] },
        { id: '__proto__', task: 't', attempts: 1.5, timeout: 'soon', input: { at: new Date(0) } },
        'c',
        { task: 't', after: 'a' },
        { id: 'd', task: 't', after: [7] },
      ],
      edges: [],
    };
    expect(problemsOf(graph).map(({ path, message }) => `${path} ${message}`)).toEqual([
      'edges is not known',
      'nodes[4] must be an object with id and task',
      'nodes[2].id "b" is taken by nodes[1]',
      expect.stringMatching(/^nodes\[3\]\.id "__proto__" has the character "_"/),
      'nodes[5].id must be text, not undefined',
      expect.stringMatching(/^nodes\[1\]\.task "bad task" has the character " "/),
      'nodes[1].attempts must be a whole number from 1 to 10000',
      'nodes[1].timeout must not be 0',
      "nodes[1].backoff.type must be 'fixed' or 'exponential'",
      'nodes[2].afterr is not known; did you mean after?',
      'nodes[3] input.at is a Date; a graph is plain JSON',
      'nodes[3].attempts must be a whole number from 1 to 10000',
      expect.stringMatching(/^nodes\[3\]\.timeout must be milliseconds or text .*, not "soon"$/),
      'nodes[0].after[0] names the unknown node "nope"',
      'nodes[0].after[1] names its own node "a"',
      'nodes[0].after[3] names "b" again',
      'nodes[5].after must be an array of node ids',
      'nodes[6].after[0] must be a node id',
    ]);
  });

  it('says what an unknown predecessor was meant to be', () => {
    expect(problemsOf({ nodes: [node('fetch'), node('resize', 'fecth')] })).toEqual([
      { path: 'nodes[1].after[0]', message: 'names the unknown node "fecth"; did you mean fetch?' },
    ]);
  });

  it('spells out one cycle in the direction of its edges', () => {
    const graph = { nodes: [node('start'), node('a', 'c', 'start'), node('b', 'a'), node('c', 'b'), node('behind', 'c')] };
    expect(problemsOf(graph)).toEqual([
      { path: 'nodes', message: expect.stringMatching(/^have a cycle: (a → b → c → a|b → c → a → b|c → a → b → c)$/) },
    ]);
  });

  it('shortens a long cycle', () => {
    const nodes = Array.from({ length: 20_000 }, (_, index) => node(`n${index}`, `n${(index + 19_999) % 20_000}`));
    const [problem] = problemsOf({ nodes });
    expect(problem?.message).toMatch(/ → … \(20000 nodes\) → n\d+$/);
    expect(problem?.message.length).toBeLessThan(300);
  });

  it('names the first 50 faults and the number of all', () => {
    const nodes = Array.from({ length: 1000 }, (_, index) => node(`n${index}`, 'nope'));
    expect(() => validateGraph({ nodes })).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(/; and 950 more$/),
        details: expect.objectContaining({ problemCount: 1000 }),
      }),
    );
    expect(problemsOf({ nodes })).toHaveLength(50);
  });

  it.each<[string, unknown]>([
    ['must be an object', null],
    ['must be an object', []],
    ['must be an array', {}],
    ['must be an array', { nodes: 'a' }],
    ['must not be empty', { nodes: [] }],
    ['must be an object with id and task', { nodes: [null] }],
  ])('says that it %s', (message, value) => {
    expect(problemsOf(value).at(-1)?.message).toContain(message);
  });

  it('holds its limits', () => {
    const graph = { nodes: [node('a'), node('b', 'a'), node('c', 'a', 'b')] };
    expect(problemsOf(graph, { maxNodes: 3, maxEdges: 3 })).toEqual([]);
    expect(problemsOf(graph, { maxNodes: 2 })).toEqual([{ path: 'nodes', message: 'has 3 nodes, more than 2' }]);
    expect(problemsOf(graph, { maxEdges: 2 })).toEqual([{ path: 'nodes', message: 'have more than 2 edges' }]);
  });

  it('takes 20,000 nodes with 200,000 edges, and a chain of 20,000', () => {
    const wide: Graph = { nodes: Array.from({ length: 20_000 }, (_, index) => node(`n${index}`, ...predecessors(index))) };
    expect(wide.nodes.reduce((edges, { after = [] }) => edges + after.length, 0)).toBeGreaterThan(199_000);
    expect(validateGraph(wide)).toBe(wide);
    const chain = { nodes: Array.from({ length: 20_000 }, (_, index) => node(`n${index}`, ...(index === 0 ? [] : [`n${index - 1}`]))) };
    expect(validateGraph(chain)).toBe(chain);
  });
});

/** Ten predecessors spread over all earlier nodes. */
function predecessors(index: number): string[] {
  const count = Math.min(10, index);
  return Array.from({ length: count }, (_, place) => `n${Math.floor((place * index) / count)}`);
}
