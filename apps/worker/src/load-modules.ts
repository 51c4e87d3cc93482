import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { DynamicModule, Type } from '@nestjs/common';
import { MODULE_METADATA } from '@nestjs/common/constants.js';
import { ConfigurationError, type TaskDefinition, type WorkflowDefinition } from '@millrace/durable';
import { isMarked } from '@millrace/durable/nest';

/** What the workflow modules export, by kind. */
export interface LoadedModules {
  readonly nestModules: ReadonlyArray<Type | DynamicModule>;
  /** Classes marked `@Workflow` or `@Task` that no Nest module of their file brings along. */
  readonly providers: readonly Type[];
  readonly workflows: readonly WorkflowDefinition[];
  readonly tasks: readonly TaskDefinition[];
}

/**
 * Imports the modules and sorts what they export, by name or as default, alone or in lists: Nest modules, marked classes,
 * and definitions made by `workflow(…)` and `task(…)`. Anything else is left alone.
 * @param paths relative to `from`, or absolute
 * @throws ConfigurationError naming every module that cannot be loaded or exports nothing of these kinds
 */
export async function loadModules(paths: readonly string[], from: string = process.cwd()): Promise<LoadedModules> {
  const results = await Promise.allSettled(paths.map((path) => loadModule(resolve(from, path))));
  const problems = results.flatMap((result, at) => (result.status === 'rejected' ? [`${paths[at]}: ${describe(result.reason)}`] : []));
  if (problems.length > 0) throw new ConfigurationError(problems);
  const loaded = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  return {
    nestModules: unique(loaded.flatMap(({ nestModules }) => nestModules)),
    providers: unique(loaded.flatMap(({ providers }) => providers)),
    workflows: unique(loaded.flatMap(({ workflows }) => workflows)),
    tasks: unique(loaded.flatMap(({ tasks }) => tasks)),
  };
}

async function loadModule(path: string): Promise<LoadedModules> {
  const namespace = (await import(pathToFileURL(path).href)) as Record<string, unknown>;
  const exported = unique(Object.values(namespace).flatMap((value) => (Array.isArray(value) ? (value as unknown[]) : [value])));
  const nestModules = exported.filter(isNestModule);
  const loaded = {
    nestModules,
    // A file that exports a Nest module exports its classes for other files' use: the module provides them.
    providers: nestModules.length > 0 ? [] : exported.filter(isMarkedClass),
    workflows: exported.filter(isWorkflow),
    tasks: exported.filter(isTask),
  };
  if (Object.values(loaded).every((found) => found.length === 0)) throw new TypeError('exports no Nest module, workflow or task');
  return loaded;
}

function isNestModule(value: unknown): value is Type | DynamicModule {
  if (typeof value === 'function') return Object.values(MODULE_METADATA).some((key) => Reflect.hasOwnMetadata(key, value));
  return isObject(value) && typeof value['module'] === 'function';
}

function isMarkedClass(value: unknown): value is Type {
  return typeof value === 'function' && isMarked(value);
}

function isWorkflow(value: unknown): value is WorkflowDefinition {
  return (
    isObject(value) && typeof value['name'] === 'string' && typeof value['run'] === 'function' && typeof value['parseInput'] === 'function'
  );
}

function isTask(value: unknown): value is TaskDefinition {
  return isObject(value) && typeof value['name'] === 'string' && typeof value['execute'] === 'function' && isObject(value['options']);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function unique<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}

function describe(thrown: unknown): string {
  return thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
}
