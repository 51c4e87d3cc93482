import { Module } from '@nestjs/common';
import { Simulate } from './simulate.task.js';

/** Replays traces of real workflow runs, as a worker loads it. */
@Module({ providers: [Simulate] })
export class WfInstancesModule {}
