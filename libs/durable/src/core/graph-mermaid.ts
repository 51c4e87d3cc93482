import type { Graph, NodeState } from './graph.js';

const colours: Readonly<Record<NodeState, string>> = {
  waiting: 'fill:#f4f4f5,stroke:#a1a1aa,color:#3f3f46',
  ready: 'fill:#fef9c3,stroke:#ca8a04,color:#713f12',
  running: 'fill:#dbeafe,stroke:#2563eb,color:#1e3a8a',
  completed: 'fill:#dcfce7,stroke:#16a34a,color:#14532d',
  failed: 'fill:#fee2e2,stroke:#dc2626,color:#7f1d1d',
  cancelled: 'fill:#e7e5e4,stroke:#78716c,color:#44403c',
  abandoned: 'fill:#e7e5e4,stroke:#78716c,color:#44403c,stroke-dasharray:4',
};

/**
 * The graph as a Mermaid flowchart, a label (id and task) a node, coloured by state when `statusOf` answers one. Labels are
 * escaped, so a name cannot add markup, links or directives; a state that is not known gets no class.
 */
export function toMermaid(graph: Graph, statusOf?: (nodeId: string) => NodeState | undefined): string {
  const numberOf = new Map(graph.nodes.map(({ id }, index) => [id, index]));
  const lines = ['flowchart TD'];
  const used = new Set<NodeState>();
  for (const [index, { id, task }] of graph.nodes.entries()) {
    const state = statusOf?.(id);
    const isKnown = state !== undefined && Object.hasOwn(colours, state);
    if (isKnown) used.add(state);
    lines.push(`  n${index}["${escapeLabel(id)}<br/>${escapeLabel(task)}"]${isKnown ? `:::${state}` : ''}`);
  }
  for (const [to, { after = [] }] of graph.nodes.entries()) {
    for (const id of after) if (numberOf.has(id)) lines.push(`  n${numberOf.get(id)} --> n${to}`);
  }
  for (const state of used) lines.push(`  classDef ${state} ${colours[state]}`);
  return lines.join('\n');
}

/** Everything but letters, digits, space, `.`, `_` and `-` becomes a Mermaid character entity (`#60;`). */
function escapeLabel(text: string): string {
  return Array.from(text, (character) => (/[A-Za-z0-9 ._-]/.test(character) ? character : `#${character.codePointAt(0)};`)).join('');
}
