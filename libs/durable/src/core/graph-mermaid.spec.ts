import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { NodeState } from './graph.js';
import { toMermaid } from './graph-mermaid.js';

const graph = {
  nodes: [
    { id: 'a', task: 'fetch' },
    { id: 'b.1', task: 'join', after: ['a'] },
  ],
};

describe('toMermaid', () => {
  it('draws nodes and edges', () => {
    expect(toMermaid(graph)).toBe('flowchart TD\n  n0["a<br/>fetch"]\n  n1["b.1<br/>join"]\n  n0 --> n1');
  });

  it('gives each node the class of its state, and defines the classes it uses', () => {
    const text = toMermaid(graph, (id) => (id === 'a' ? 'completed' : 'running'));
    expect(text).toContain('n0["a<br/>fetch"]:::completed\n');
    expect(text).toContain('n1["b.1<br/>join"]:::running\n');
    expect(text.match(/classDef \w+/g)).toEqual(['classDef completed', 'classDef running']);
  });

  it('gives no class to a state that it does not know', () => {
    const hostile = 'x"]\nclick n0 "javascript:alert(1)"' as NodeState;
    expect(toMermaid(graph, () => hostile)).toBe(toMermaid(graph));
    expect(toMermaid(graph, () => 'toString' as NodeState)).toBe(toMermaid(graph));
  });

  it('lets no name break out of its label', () => {
    const attacks = ['"]\n  click n0 callback', '<script>alert(1)</script>', '`md`', '%%{init: {}}%%', 'a#quot;b', '</br>', '\u2028'];
    for (const attack of attacks) {
      expect(toMermaid({ nodes: [{ id: attack, task: attack }] })).toMatch(
        /^flowchart TD\n {2}n0\["(?:[A-Za-z0-9 ._-]|#\d+;)*<br\/>(?:[A-Za-z0-9 ._-]|#\d+;)*"\]$/,
      );
    }
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (name) => {
        const [, label = ''] = /^flowchart TD\n {2}n0\["(.*)<br\/>t"\]$/.exec(toMermaid({ nodes: [{ id: name, task: 't' }] })) ?? [];
        expect(label.replace(/#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))).toBe(name);
      }),
    );
  });
});
