/** The environment of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Reads settings one by one and collects every fault, so that the operator sees all of them at once. */
export class EnvReader {
  readonly faults: string[] = [];

  constructor(private readonly env: Environment) {}

  /** The text of a setting as it was written; undefined when it is unset. An empty text counts as written. */
  raw(name: string): string | undefined {
    return this.env[name];
  }

  text(name: string, fallback: string): string {
    return this.env[name] ?? fallback;
  }

  /** Names or paths, separated by commas; empty parts are faults. */
  list(name: string): string[] | undefined {
    const parts = this.env[name]?.split(',').map((part) => part.trim());
    if (parts?.includes('') === true)
      this.fault(name, `must be a list separated by commas without empty parts, not ${shown(this.env[name] ?? '')}`);
    return parts;
  }

  /** A plain decimal whole number within bounds. */
  integer(name: string, fallback: number, { min, max }: Readonly<{ min: number; max: number }>): number {
    const text = this.env[name];
    if (text === undefined) return fallback;
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    this.fault(name, `must be a whole number from ${min} to ${max}, not ${shown(text)}`);
    return fallback;
  }

  oneOf<T extends string>(name: string, fallback: T, allowed: readonly T[]): T {
    const text = this.env[name];
    if (text === undefined) return fallback;
    const value = allowed.find((candidate) => candidate === text);
    if (value === undefined) this.fault(name, `must be one of ${allowed.join(', ')}, not ${shown(text)}`);
    return value ?? fallback;
  }

  fault(name: string, message: string): void {
    this.faults.push(`${name} ${message}`);
  }
}

/** A setting's text as an error shows it. */
export function shown(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
