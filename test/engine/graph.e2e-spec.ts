import { describe, expect, it } from '@jest/globals';
import { graph, graphDataWorkflow, graphWorkflow, type TaskDefinition } from '@millrace/durable';
import { EngineHarness, gate, settle } from './engine-harness.js';

const gates = new Map<string, ReturnType<typeof gate<void>>>();
const concat: TaskDefinition = {
  name: 'concat',
  queue: 'default',
  options: {},
  execute: async ({ outputs, stepName }, input) => {
    await gates.get(stepName)?.opened;
    return `${JSON.stringify(input)}(${Object.values(outputs).join()})`;
  },
};
const diamond = {
  nodes: [
    { id: 'a', task: 'concat', input: 'a' },
    { id: 'b', task: 'concat', input: 'b', after: ['a'] },
    { id: 'c', task: 'concat', input: 'c', after: ['a'] },
    { id: 'd', task: 'concat', input: 'd', after: ['b', 'c'] },
  ],
};

describe('a graph', () => {
  it('runs ready nodes in parallel and gives each its predecessors outputs', async () => {
    const engine = await EngineHarness.open({ tasks: [concat] });
    for (const id of ['b', 'c']) gates.set(id, gate());
    await engine.submit('r1', { graph: diamond }, 'graph');
    const driven = engine.drive(graphDataWorkflow('default'));
    await settle();
    expect(engine.events('step.started').map((event) => (event as { step: string }).step)).toEqual(['a', 'b', 'c']);
    for (const each of gates.values()) each.open();
    expect(await driven).toEqual({ kind: 'ended', status: 'completed' });
    expect(await engine.output()).toEqual({ d: '"d"("b"("a"()),"c"("a"()))' });
    gates.clear();
  });

  it('refuses a graph that is not valid, naming every fault, before anything runs', async () => {
    const engine = await EngineHarness.open({ tasks: [concat] });
    await engine.submit(
      'r1',
      {
        graph: {
          nodes: [
            { id: 'a', task: 'concat', after: ['b'] },
            { id: 'b', task: 'concat', after: ['a', 'zz'] },
          ],
        },
      },
      'graph',
    );
    await engine.drive(graphDataWorkflow('default'));
    expect((await engine.error()).code).toBe('invalid_input');
    expect((await engine.error()).message).toMatch(/zz/);
  });

  it('is set aside when a task is not served here', async () => {
    const engine = await EngineHarness.open({ tasks: [concat] });
    await engine.submit('r1', { graph: { nodes: [{ id: 'a', task: 'concta' }] } }, 'graph');
    expect(await engine.drive(graphDataWorkflow('default'))).toEqual({ kind: 'ended', status: 'set-aside' });
    expect((await engine.error()).message).toMatch(/did you mean concat/);
  });

  it('fails the run when a node fails for good, and abandons the others', async () => {
    const bad: TaskDefinition = {
      name: 'bad',
      queue: 'default',
      options: { attempts: 1 },
      execute: () => {
        throw new Error('bad node');
      },
    };
    const stuck: TaskDefinition = { name: 'stuck', queue: 'default', options: {}, execute: () => new Promise(() => undefined) };
    const engine = await EngineHarness.open({ tasks: [bad, stuck] });
    await engine.submit(
      'r1',
      {
        graph: {
          nodes: [
            { id: 'x', task: 'stuck' },
            { id: 'y', task: 'bad' },
            { id: 'z', task: 'stuck', after: ['y'] },
          ],
        },
      },
      'graph',
    );
    expect(await engine.drive(graphDataWorkflow('default'))).toEqual({ kind: 'ended', status: 'failed' });
    const page = await engine.storage.inspector.readJournal({ runId: 'r1', from: 0, journalEnd: 0 });
    expect(page.entries.map(([, value]) => value.charAt(0))).toEqual(['a', '-']);
  });
});

describe('a graph from code', () => {
  it('runs as a workflow of its own; its input is that of every node that has none', async () => {
    const engine = await EngineHarness.open({ tasks: [concat] });
    const builder = graph('nightly');
    const first = builder.node('a', concat);
    builder.node('b', concat, { input: 'own', after: [first] });
    const nightly = graphWorkflow({ name: 'nightly', version: 1 }, builder.build());
    await engine.submit('r1', 'given', 'nightly');
    expect(await engine.drive(nightly)).toEqual({ kind: 'ended', status: 'completed' });
    expect(await engine.output()).toEqual({ b: '"own"("given"())' });
    expect(nightly.graph?.nodes).toHaveLength(2);
  });

  it('is refused as a whole when it is not valid', () => {
    expect(() => graphWorkflow({ name: 'bad', version: 1 }, { nodes: [{ id: 'a', task: 't', after: ['a'] }] })).toThrow(
      /names its own node/,
    );
  });
});
