import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { ConfigurationError } from '../core/errors.js';
import { task, type TaskOptions, workflow } from '../engine/define.js';
import type { RunContext, TaskContext, TaskDefinition, WorkflowDefinition } from '../engine/definitions.js';
import { classInput } from './class-input.js';
import { isMarked, TASK_METADATA, WORKFLOW_METADATA, type WorkflowDecoratorOptions } from './decorators.js';

/** What the providers of an application define. */
export interface Explored {
  readonly workflows: readonly WorkflowDefinition[];
  readonly tasks: readonly TaskDefinition[];
}

type Wrapper = ReturnType<DiscoveryService['getProviders']>[number];
interface Marked {
  readonly instance: Record<string, unknown>;
  readonly className: string;
  readonly workflow: WorkflowDecoratorOptions | undefined;
  readonly task: TaskOptions | undefined;
}

/** Finds the providers that `@Workflow` and `@Task` mark, and makes definitions bound to their instances. */
@Injectable()
export class WorkflowExplorer {
  constructor(private readonly discovery: DiscoveryService) {}

  /** @throws ConfigurationError naming every class that is marked and cannot serve */
  explore(): Explored {
    const workflows: WorkflowDefinition[] = [];
    const tasks: TaskDefinition[] = [];
    const problems: string[] = [];
    for (const wrapper of this.markedWrappers()) {
      try {
        const marked = readMarked(wrapper);
        if (marked.workflow !== undefined) workflows.push(workflowOf(marked, marked.workflow));
        if (marked.task !== undefined) tasks.push(taskOf(marked, marked.task));
      } catch (thrown) {
        problems.push(thrown instanceof Error ? thrown.message : String(thrown));
      }
    }
    if (problems.length > 0) throw new ConfigurationError(problems);
    return { workflows, tasks };
  }

  /** A provider that several modules export has one instance: it is taken once. */
  private markedWrappers(): Wrapper[] {
    const seen = new Set<unknown>();
    return this.discovery.getProviders().filter((wrapper) => {
      const type = classOf(wrapper);
      if (type === null || !isMarked(type)) return false;
      const identity = wrapper.instance ?? wrapper;
      if (seen.has(identity)) return false;
      seen.add(identity);
      return true;
    });
  }
}

function classOf({ instance, metatype }: Wrapper): (new (...args: never[]) => unknown) | null {
  // A value or factory provider has no class of its own, but its instance has.
  const type: unknown = typeof instance === 'object' && instance !== null ? instance.constructor : metatype;
  return typeof type === 'function' ? (type as new (...args: never[]) => unknown) : null;
}

function metadata(type: object, key: string): unknown {
  return Reflect.getOwnMetadata(key, type);
}

function readMarked(wrapper: Wrapper): Marked {
  const type = classOf(wrapper);
  const className = type === null ? String(wrapper.name) : type.name;
  if (type === null || !wrapper.isDependencyTreeStatic()) {
    throw new TypeError(`${className} must be a singleton: a run has no request to be scoped to`);
  }
  return {
    instance: wrapper.instance as Record<string, unknown>,
    className,
    workflow: metadata(type, WORKFLOW_METADATA) as WorkflowDecoratorOptions | undefined,
    task: metadata(type, TASK_METADATA) as TaskOptions | undefined,
  };
}

function workflowOf(marked: Marked, { input, ...options }: WorkflowDecoratorOptions): WorkflowDefinition {
  const run = methodOf(marked, 'run') as (run: RunContext, input: unknown) => Promise<unknown>;
  if (input === undefined) return workflow(options, run);
  return workflow({ ...options, input: typeof input === 'function' ? classInput(input) : input }, run);
}

function taskOf(marked: Marked, options: TaskOptions): TaskDefinition {
  return task(options, methodOf(marked, 'execute') as (task: TaskContext, input: unknown) => unknown);
}

function methodOf({ instance, className }: Marked, name: string): unknown {
  const method = instance[name];
  if (typeof method !== 'function') throw new TypeError(`${className} has no method ${name}`);
  return method.bind(instance);
}
