import { InvalidInput, type Problem } from '../core/errors.js';
import { identifierFault } from '../core/identifiers.js';
import { MillraceError } from '../core/millrace-error.js';
import type { RunContext, StepOptions, TaskContext, TaskDefinition, WorkflowDefinition } from './definitions.js';
import { stepOptionProblems } from './step-options.js';

/** What a workflow takes: a schema for the API, and a parser that the worker calls before the first step. */
export interface InputType<Input> {
  /** JSON Schema 2020-12; null accepts anything. */
  readonly schema: unknown;
  /** Answers what the body gets. Whatever it throws becomes an `InvalidInput`. */
  readonly parse: (input: unknown) => Input;
}

export interface WorkflowOptions<Input> {
  /** 1–200 characters of an identifier. */
  readonly name: string;
  /** 1 or more. Runs stay on the version they were submitted with. */
  readonly version: number;
  /** @defaultValue 'default' */
  readonly queue?: string;
  /** @defaultValue anything, handed to the body as it was submitted */
  readonly input?: InputType<Input>;
}

/** Options of the steps that run the task, but for `key`: it names one step of one run. */
export interface TaskOptions extends Omit<StepOptions, 'key'> {
  readonly name: string;
  /** @defaultValue 'default' */
  readonly queue?: string;
}

const DEFAULT_QUEUE = 'default';
const MAX_VERSION = 999_999_999;
const workflowOptionNames = new Set(['name', 'version', 'queue', 'input']);

/**
 * Defines a workflow. `run` is deterministic between its steps.
 * @throws InvalidInput naming every fault of the options
 */
export function workflow<Input = unknown, Output = unknown>(
  options: WorkflowOptions<Input>,
  run: (run: RunContext, input: Input) => Promise<Output>,
): WorkflowDefinition<Input, Output> {
  const problems = workflowProblems(options, run);
  if (problems.length > 0) throw new InvalidInput(`workflow ${String(options.name)}`, problems);
  const { name, version, queue = DEFAULT_QUEUE, input } = options;
  const parseInput = input === undefined ? (value: unknown) => value as Input : parserOf(name, input);
  return Object.freeze({ name, version, queue, inputSchema: input?.schema ?? null, parseInput, run });
}

/**
 * Defines a task: a function that runs as a step, named by data.
 * @throws InvalidInput naming every fault of the options
 */
export function task<Input = unknown, Output = unknown>(
  options: TaskOptions,
  execute: (task: TaskContext, input: Input) => Promise<Output> | Output,
): TaskDefinition<Input, Output> {
  const { name, queue = DEFAULT_QUEUE, ...stepOptions } = options;
  const problems = [...nameProblems(name, queue), ...stepOptionProblems(stepOptions), ...functionProblems('execute', execute)];
  if ('key' in stepOptions) problems.push({ path: 'key', message: 'is an option of one step, not of a task' });
  if (problems.length > 0) throw new InvalidInput(`task ${String(name)}`, problems);
  return Object.freeze({ name, queue, options: Object.freeze(stepOptions), execute });
}

function parserOf<Input>(name: string, input: InputType<Input>): (value: unknown) => Input {
  return (value) => {
    try {
      return input.parse(value);
    } catch (thrown) {
      if (thrown instanceof MillraceError) throw thrown;
      throw new InvalidInput(`input of workflow ${name}`, [
        { path: '$', message: thrown instanceof Error ? thrown.message : String(thrown) },
      ]);
    }
  };
}

function workflowProblems<Input>(options: WorkflowOptions<Input>, run: unknown): Problem[] {
  const { name, version, queue = DEFAULT_QUEUE, input } = options;
  const problems = [...nameProblems(name, queue), ...functionProblems('run', run)];
  if (!Number.isSafeInteger(version) || version < 1 || version > MAX_VERSION) {
    problems.push({ path: 'version', message: `must be a whole number from 1 to ${MAX_VERSION}, not ${String(version)}` });
  }
  if (input !== undefined && typeof input?.parse !== 'function') {
    problems.push({ path: 'input', message: 'must have a schema and a parse function' });
  }
  for (const key of Object.keys(options)) {
    if (!workflowOptionNames.has(key)) problems.push({ path: key.slice(0, 50), message: 'is not known' });
  }
  return problems;
}

function nameProblems(name: unknown, queue: unknown): Problem[] {
  const faults = { name: identifierFault(name), queue: identifierFault(queue) };
  return Object.entries(faults).flatMap(([path, message]) => (message === null ? [] : [{ path, message }]));
}

function functionProblems(path: string, value: unknown): Problem[] {
  return typeof value === 'function' ? [] : [{ path, message: 'must be a function' }];
}
