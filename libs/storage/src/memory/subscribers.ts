/** Callbacks that are told of something, each in a turn of its own: no subscriber runs inside the script that tells it. */
export class Subscribers<Value> {
  private readonly callbacks = new Set<(value: Value) => void>();

  /** The returned function ends it: nothing is told after that, also not what was on its way. */
  add(callback: (value: Value) => void): () => void {
    // A callback may be added twice; a wrapper of its own keeps the two apart.
    const entry = (value: Value): void => callback(value);
    this.callbacks.add(entry);
    return () => {
      this.callbacks.delete(entry);
    };
  }

  notify(value: Value): void {
    for (const callback of this.callbacks) {
      queueMicrotask(() => {
        if (this.callbacks.has(callback)) {
          callback(value);
        }
      });
    }
  }
}
