export { classInput, type InputClass } from './class-input.js';
export { isMarked, Task, Workflow, type WorkflowDecoratorOptions } from './decorators.js';
export { MillraceModule, type MillraceModuleAsyncOptions } from './millrace.module.js';
export { MillraceWorker, type MillraceModuleOptions } from './millrace-worker.js';
export { type Explored, WorkflowExplorer } from './workflow-explorer.js';
