/** Which partitions' events are wanted, by how many, and how far each was read. */
export class FollowedPartitions {
  private readonly counts = new Map<number, number>();
  private readonly positions = new Map<number, string>();
  private readonly searches = new Map<number, Promise<void>>();

  /** @param askForEnd the id of a partition's newest event */
  constructor(private readonly askForEnd: (partition: number) => Promise<string>) {}

  /** The returned function takes it back; idempotent. */
  add(partition: number): () => void {
    this.counts.set(partition, this.countOf(partition) + 1);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.counts.set(partition, this.countOf(partition) - 1);
    };
  }

  /** Asks where a partition is read from, unless that is known; one question at a time. @throws what the question throws */
  findEnd(partition: number): Promise<void> {
    if (this.positions.has(partition)) return Promise.resolve();
    const search = this.searches.get(partition) ?? this.search(partition);
    this.searches.set(partition, search);
    return search;
  }

  /**
   * Those that are wanted now, each with a position. The others are forgotten: what happens there until they are wanted again
   * is not asked for then.
   * @param among @defaultValue all
   */
  async take(among?: readonly number[]): Promise<number[]> {
    const isAsked = (partition: number): boolean => among?.includes(partition) ?? true;
    for (const [partition, count] of this.counts) if (count === 0 && isAsked(partition)) this.forget(partition);
    const wanted = [...this.counts.keys()].filter(isAsked);
    await Promise.all(wanted.map((partition) => this.findEnd(partition)));
    return wanted.filter((partition) => this.positions.has(partition));
  }

  /**
   * Something is wanted that is not among `partitions`.
   * @param among as for {@link take}
   */
  hasOtherThan(partitions: readonly number[], among?: readonly number[]): boolean {
    const isOther = (partition: number): boolean => !partitions.includes(partition) && (among?.includes(partition) ?? true);
    return [...this.counts].some(([partition, count]) => count > 0 && isOther(partition));
  }

  positionOf(partition: number): string {
    return this.positions.get(partition) ?? '0-0';
  }

  move(partition: number, position: string): void {
    this.positions.set(partition, position);
  }

  private async search(partition: number): Promise<void> {
    try {
      const end = await this.askForEnd(partition);
      // Nobody wants it any more: kept, it would be old when somebody does.
      if (this.countOf(partition) > 0) this.positions.set(partition, end);
    } finally {
      this.searches.delete(partition);
    }
  }

  private forget(partition: number): void {
    this.counts.delete(partition);
    this.positions.delete(partition);
  }

  private countOf(partition: number): number {
    return this.counts.get(partition) ?? 0;
  }
}
