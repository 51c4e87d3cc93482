import type { TaskContext } from '@millrace/durable';
import { Task } from '@millrace/durable/nest';
import { SIMULATE } from './load-trace.js';
import { type Outputs, simulate, type SimulateInput, type SimulateOutput } from './simulate.js';

/** The task that every node of a trace's graph names. */
@Task({ name: SIMULATE, attempts: 5 })
export class Simulate {
  execute({ outputs, signal }: TaskContext, input: SimulateInput): Promise<SimulateOutput> {
    return simulate(input, outputs as Outputs, signal);
  }
}
