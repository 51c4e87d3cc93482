import 'reflect-metadata';
import { applyDecorators, Injectable, SetMetadata } from '@nestjs/common';
import type { InputType, TaskOptions, WorkflowOptions } from '../engine/define.js';
import type { InputClass } from './class-input.js';

export const WORKFLOW_METADATA = 'millrace:workflow';
export const TASK_METADATA = 'millrace:task';

/** As of `workflow(…)`; `input` may also be a class-validator class. */
export interface WorkflowDecoratorOptions extends Omit<WorkflowOptions<unknown>, 'input'> {
  readonly input?: InputClass<unknown> | InputType<unknown>;
}

/** Marks an injectable class as a workflow: its method `run(run, input)` is the body. */
export function Workflow(options: WorkflowDecoratorOptions): ClassDecorator {
  return applyDecorators(Injectable(), SetMetadata(WORKFLOW_METADATA, options));
}

/** Marks an injectable class as a task: its method `execute(task, input)` is the function. */
export function Task(options: TaskOptions): ClassDecorator {
  return applyDecorators(Injectable(), SetMetadata(TASK_METADATA, options));
}

/** True for a class that {@link Workflow} or {@link Task} marks, itself and not by its parent. */
export function isMarked(type: object): boolean {
  return Reflect.hasOwnMetadata(WORKFLOW_METADATA, type) || Reflect.hasOwnMetadata(TASK_METADATA, type);
}
