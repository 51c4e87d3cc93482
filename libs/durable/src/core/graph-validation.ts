import { backoffProblems } from './backoff.js';
import { durationFault, durationMs } from './durations.js';
import { InvalidInput, type Problem } from './errors.js';
import type { Graph } from './graph.js';
import { linkEdges, sortNodes } from './graph-order.js';
import { identifierFault } from './identifiers.js';
import { jsonFault } from './json-value.js';
import { nearNames } from './near-names.js';

export interface GraphLimits {
  /** @defaultValue 20,000 */
  readonly maxNodes?: number;
  /** @defaultValue 200,000 */
  readonly maxEdges?: number;
}

const graphKeys = new Set(['nodes']);
const nodeKeys = new Set(['id', 'task', 'input', 'after', 'attempts', 'timeout', 'backoff']);
const NAMED_PROBLEMS = 50;
const MAX_ATTEMPTS = 10_000;
/** Nodes of a cycle that are spelled out. */
const NAMED_CYCLE = 20;
/** "Did you mean" compares a name with all others: only for graphs that a person wrote. */
const COMPARED_NODES = 200;

/**
 * Checks a graph as a whole: shape, names, numbers, edges, cycles, sizes. Linear in nodes and edges.
 * @returns the same value
 * @throws InvalidInput naming every fault (the first 50, then their number)
 */
export function validateGraph(value: unknown, { maxNodes = 20_000, maxEdges = 200_000 }: GraphLimits = {}): Graph {
  const faults = new Faults();
  const nodes = checkShape(value, maxNodes, faults);
  const indexOf = checkIds(nodes, faults);
  for (const [index, node] of nodes.entries()) checkNode(node, `nodes[${index}]`, faults);
  const edges = checkEdges(nodes, indexOf, maxEdges, faults);
  checkCycles(nodes, edges, faults);
  faults.throwIfAny();
  return value as Graph;
}

/** A node that came from outside: nothing about its members is known. */
type Unchecked = Readonly<Record<string, unknown>>;

class Faults {
  private readonly named: Problem[] = [];
  private count = 0;

  /** @param message a function when it is costly: it is called only for a fault that is named */
  add(path: string, message: string | (() => string)): void {
    this.count += 1;
    if (this.named.length < NAMED_PROBLEMS) this.named.push({ path, message: typeof message === 'string' ? message : message() });
  }

  throwIfAny(): void {
    if (this.count > 0) throw new InvalidInput('graph', this.named, this.count);
  }
}

/** The graph's nodes; ends the check at once where there is nothing to go on with. */
function checkShape(value: unknown, maxNodes: number, faults: Faults): readonly Unchecked[] {
  if (!isRecord(value)) faults.add('graph', 'must be an object with nodes');
  else {
    checkKeys(value, graphKeys, '', faults);
    const { nodes } = value;
    if (!Array.isArray(nodes)) faults.add('nodes', 'must be an array');
    else if (nodes.length === 0) faults.add('nodes', 'must not be empty');
    else if (nodes.length > maxNodes) faults.add('nodes', `has ${nodes.length} nodes, more than ${maxNodes}`);
    else
      return Array.from(nodes, (node: unknown, index) => {
        if (isRecord(node)) return node;
        faults.add(`nodes[${index}]`, 'must be an object with id and task');
        return nothing;
      });
  }
  faults.throwIfAny();
  return [];
}

/** Stands for a node that is no object, so that it is reported once and takes part in nothing else. */
const nothing: Unchecked = Object.freeze({});

function checkIds(nodes: readonly Unchecked[], faults: Faults): ReadonlyMap<unknown, number> {
  const indexOf = new Map<unknown, number>();
  for (const [index, { id }] of nodes.entries()) {
    if (nodes[index] === nothing) continue;
    const fault = identifierFault(id);
    const earlier = indexOf.get(id);
    if (fault !== null) faults.add(`nodes[${index}].id`, fault);
    else if (earlier !== undefined) faults.add(`nodes[${index}].id`, `"${String(id)}" is taken by nodes[${earlier}]`);
    else indexOf.set(id, index);
  }
  return indexOf;
}

function checkNode(node: Unchecked, path: string, faults: Faults): void {
  if (node === nothing) return;
  const { task, input, attempts, timeout, backoff } = node;
  checkKeys(node, nodeKeys, `${path}.`, faults);
  const taskFault = identifierFault(task);
  if (taskFault !== null) faults.add(`${path}.task`, taskFault);
  const inputFault = input === undefined ? null : jsonFault(input, 'input');
  if (inputFault !== null) faults.add(path, `${inputFault}; a graph is plain JSON`);
  if (attempts !== undefined && !isBudget(attempts)) faults.add(`${path}.attempts`, `must be a whole number from 1 to ${MAX_ATTEMPTS}`);
  if (timeout !== undefined && !durationMs(timeout))
    faults.add(`${path}.timeout`, timeout === 0 ? 'must not be 0' : durationFault(timeout));
  if (backoff !== undefined) for (const problem of backoffProblems(backoff, `${path}.backoff`)) faults.add(problem.path, problem.message);
}

/** The edges between known nodes as from, to, from, to, …; self edges are reported and left out. */
function checkEdges(nodes: readonly Unchecked[], indexOf: ReadonlyMap<unknown, number>, maxEdges: number, faults: Faults): number[] {
  const edges: number[] = [];
  let edgeCount = 0;
  for (const [to, { after, id }] of nodes.entries()) {
    if (after === undefined) continue;
    if (!Array.isArray(after)) {
      faults.add(`nodes[${to}].after`, 'must be an array of node ids');
      continue;
    }
    edgeCount += after.length;
    if (edgeCount > maxEdges) {
      faults.add('nodes', `have more than ${maxEdges} edges`);
      break;
    }
    const seen = new Set<unknown>();
    for (const [place, wanted] of (after as readonly unknown[]).entries()) {
      const from = indexOf.get(wanted);
      const path = `nodes[${to}].after[${place}]`;
      if (from === undefined) faults.add(path, () => describeUnknown(wanted, indexOf));
      else if (wanted === id) faults.add(path, `names its own node "${String(wanted)}"`);
      else if (seen.has(wanted)) faults.add(path, `names "${String(wanted)}" again`);
      else edges.push(from, to);
      seen.add(wanted);
    }
  }
  return edges;
}

function checkCycles(nodes: readonly Unchecked[], edges: readonly number[], faults: Faults): void {
  const sorted = new Uint8Array(nodes.length);
  for (const node of sortNodes(linkEdges(nodes.length, edges))) sorted[node] = 1;
  const start = sorted.indexOf(0);
  if (start < 0) return;
  const cycle = findCycle(start, sorted, edges).map((node) => String(nodes[node]?.['id']));
  const spelled =
    cycle.length <= NAMED_CYCLE ? [...cycle, cycle[0]] : [...cycle.slice(0, NAMED_CYCLE), `… (${cycle.length} nodes)`, cycle[0]];
  faults.add('nodes', `have a cycle: ${spelled.join(' → ')}`);
}

/**
 * One cycle, in the direction of its edges. Every node that could not be sorted has a predecessor that could not either, so
 * walking back from one must come to a node twice.
 */
function findCycle(start: number, sorted: Uint8Array, edges: readonly number[]): number[] {
  const predecessor = new Map<number, number>();
  for (let at = 0; at < edges.length; at += 2) {
    const [from, to] = [edges[at] ?? 0, edges[at + 1] ?? 0];
    if (sorted[from] === 0 && sorted[to] === 0) predecessor.set(to, from);
  }
  const walk: number[] = [];
  const placeOf = new Map<number, number>();
  let node = start;
  while (!placeOf.has(node)) {
    placeOf.set(node, walk.length);
    walk.push(node);
    node = predecessor.get(node) ?? node;
  }
  return walk.slice(placeOf.get(node)).reverse();
}

function describeUnknown(wanted: unknown, indexOf: ReadonlyMap<unknown, number>): string {
  if (typeof wanted !== 'string') return 'must be a node id';
  const shown = JSON.stringify(wanted.slice(0, 60));
  const near = indexOf.size > COMPARED_NODES ? [] : nearNames(wanted, indexOf.keys() as Iterable<string>);
  return `names the unknown node ${shown}${near.length > 0 ? `; did you mean ${near.join(' or ')}?` : ''}`;
}

function checkKeys(value: Unchecked, known: ReadonlySet<string>, prefix: string, faults: Faults): void {
  for (const key of Object.keys(value)) {
    if (known.has(key)) continue;
    faults.add(`${prefix}${key.slice(0, 50)}`, () => {
      const [near] = nearNames(key, known, 1);
      return `is not known${near === undefined ? '' : `; did you mean ${near}?`}`;
    });
  }
}

function isBudget(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) >= 1 && (value as number) <= MAX_ATTEMPTS;
}

function isRecord(value: unknown): value is Unchecked {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
