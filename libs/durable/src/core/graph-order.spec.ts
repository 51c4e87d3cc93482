import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Graph } from './graph.js';
import { graphLevels, indexGraph, readyOrder, sinksOf, successorsOf } from './graph-order.js';
import { validateGraph } from './graph-validation.js';

/** Acyclic graphs: edges go along a hidden order, the nodes are listed in another. */
const graphs: fc.Arbitrary<Graph> = fc
  .array(fc.array(fc.nat(), { maxLength: 4 }), { minLength: 1, maxLength: 30 })
  .map((wanted) =>
    wanted.map((picks, index) => ({
      id: `n${index}`,
      task: 't',
      after: index === 0 ? [] : [...new Set(picks.map((pick) => `n${pick % index}`))],
    })),
  )
  .chain((nodes) => fc.shuffledSubarray(nodes, { minLength: nodes.length }).map((shuffled) => ({ nodes: shuffled })));

/** Also with cycles. */
const anyGraph = fc.array(fc.uniqueArray(fc.nat({ max: 9 }), { maxLength: 3 }), { minLength: 10, maxLength: 10 }).map((edges) => ({
  nodes: edges.map((after, index) => ({
    id: `n${index}`,
    task: 't',
    after: after.filter((each) => each !== index).map((each) => `n${each}`),
  })),
}));

const diamond: Graph = {
  nodes: [
    { id: 'join', task: 't', after: ['left', 'right'] },
    { id: 'top', task: 't' },
    { id: 'right', task: 't', after: ['top'] },
    { id: 'left', task: 't', after: ['top'] },
    { id: 'alone', task: 't' },
  ],
};

describe('graph order', () => {
  it('puts predecessors first and keeps the order of definition among the ready', () => {
    expect(readyOrder(diamond)).toEqual(['top', 'alone', 'right', 'left', 'join']);
    expect(graphLevels(diamond)).toEqual([['top', 'alone'], ['right', 'left'], ['join']]);
    expect(sinksOf(diamond)).toEqual(['join', 'alone']);
  });

  it('indexes nodes, predecessor counts and successors', () => {
    const index = indexGraph(diamond);
    expect([...index.indegree]).toEqual([2, 0, 1, 1, 0]);
    expect(index.indexOf.get('left')).toBe(3);
    expect([...successorsOf(index, 1)]).toEqual([2, 3]);
    expect([...successorsOf(index, 0)]).toEqual([]);
  });

  it('is an order of every acyclic graph, and levels are its longest paths', () => {
    fc.assert(
      fc.property(graphs, (graph) => {
        validateGraph(graph);
        const order = readyOrder(graph);
        expect([...order].sort()).toEqual(graph.nodes.map(({ id }) => id).sort());
        const placeOf = new Map(order.map((id, place) => [id, place]));
        const levelOf = new Map(graphLevels(graph).flatMap((ids, level) => ids.map((id) => [id, level] as const)));
        for (const { id, after = [] } of graph.nodes) {
          for (const predecessor of after) expect(placeOf.get(predecessor)).toBeLessThan(placeOf.get(id) ?? -1);
          expect(levelOf.get(id)).toBe(Math.max(-1, ...after.map((predecessor) => levelOf.get(predecessor) ?? Number.NaN)) + 1);
        }
      }),
    );
  });

  it('agrees with the validator about every graph with arbitrary edges', () => {
    fc.assert(
      fc.property(anyGraph, (graph) => {
        const isWhole = readyOrder(graph).length === graph.nodes.length;
        if (isWhole) expect(validateGraph(graph)).toBe(graph);
        else expect(() => validateGraph(graph)).toThrow(/have a cycle: /);
      }),
    );
  });

  it('spells out a cycle that exists', () => {
    fc.assert(
      fc.property(anyGraph, (graph) => {
        fc.pre(readyOrder(graph).length < graph.nodes.length);
        const afterOf = new Map(graph.nodes.map(({ id, after }) => [id, after]));
        const cycle =
          messageOf(() => validateGraph(graph))
            .split('have a cycle: ')[1]
            ?.split(' → ') ?? [];
        expect(cycle.length).toBeGreaterThan(2);
        expect(cycle.at(-1)).toBe(cycle[0]);
        for (const [place, id] of cycle.slice(1).entries()) expect(afterOf.get(id)).toContain(cycle[place]);
      }),
    );
  });
});

function messageOf(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    return (error as Error).message;
  }
  return '';
}
