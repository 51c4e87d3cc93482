/** Fields that hold an instant: only whether there is one is compared. */
const INSTANTS = new Set(['createdAt', 'startedAt', 'endedAt', 'wakeAt', 'at', 'now']);

/**
 * Makes answers of different stores comparable: instants become "set", and what names an activation, which a store
 * chooses, becomes the number of its first appearance.
 */
export class Neutral {
  private readonly activations = new Map<string, string>();

  of(value: unknown, field = ''): unknown {
    if (typeof value === 'number' && INSTANTS.has(field)) {
      return 'set';
    }
    if (Array.isArray(value)) {
      return value.map((member) => this.of(member));
    }
    return value !== null && typeof value === 'object' ? this.ofObject(value) : value;
  }

  private ofObject(value: object): object {
    const { entryId, bits, ...rest } = value as { entryId?: string; bits?: string };
    const members = Object.fromEntries(Object.entries(rest).map(([name, member]) => [name, this.of(member, name)]));
    return entryId === undefined ? members : { ...members, entry: this.numbered(`${entryId} ${bits}`) };
  }

  private numbered(activation: string): string {
    const known = this.activations.get(activation) ?? `entry ${this.activations.size + 1}`;
    this.activations.set(activation, known);
    return known;
  }
}
