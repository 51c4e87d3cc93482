import { createHash } from 'node:crypto';
import type { Graph } from './graph.js';
import { canonicalJson } from './json-value.js';

/**
 * SHA-256 (hex) of a validated graph. The order of keys and of `after` does not matter; the order of nodes does, because it
 * decides which of two ready nodes starts first.
 */
export function graphDigest(graph: Graph): string {
  const hash = createHash('sha256');
  for (const { after = [], ...node } of graph.nodes) hash.update(`${canonicalJson(dropAbsent({ ...node, after: [...after].sort() }))}\n`);
  return hash.digest('hex');
}

/** A member that is undefined is the same as none. */
function dropAbsent(node: object): object {
  return Object.fromEntries(Object.entries(node).filter(([, value]) => value !== undefined));
}
