/** An abort controller whose signal is made when somebody asks for it: most functions never do, and a signal is dear. */
export class LazyAbortController {
  private controller: AbortController | null = null;
  private reason: Error | null = null;

  get signal(): AbortSignal {
    if (this.controller === null) {
      this.controller = new AbortController();
      if (this.reason !== null) this.controller.abort(this.reason);
    }
    return this.controller.signal;
  }

  /** The first reason counts. */
  abort(reason: Error): void {
    this.reason ??= reason;
    this.controller?.abort(reason);
  }
}
