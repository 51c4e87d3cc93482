import { setMaxListeners } from 'node:events';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';

/** Tells everybody who holds a connection open on purpose that the service stops. */
@Injectable()
export class Stopping implements OnModuleDestroy {
  private readonly controller = new AbortController();

  constructor() {
    // Every long poll and every event stream listens; their number has a bound of its own.
    setMaxListeners(0, this.controller.signal);
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Nest calls it before it closes the server, which waits for open connections. */
  onModuleDestroy(): void {
    this.controller.abort();
  }
}
