/** What an activation needs of a worker: it must serve this queue and have this version of this workflow. */
export interface Lane {
  readonly queue: string;
  readonly workflow: string;
  readonly version: number;
}

/** The one text form of a lane. `|` is in no identifier, so different lanes never share a name. */
export function laneName(lane: Lane): string {
  return `${lane.queue}|${lane.workflow}|${lane.version}`;
}

/** The inverse of {@link laneName}; null when the text is no lane (a record broken by hand). */
export function parseLane(name: string): Lane | null {
  const parts = name.split('|');
  const [queue, workflow, version] = parts;
  if (parts.length !== 3 || !queue || !workflow || !/^[1-9]\d{0,8}$/.test(version ?? '')) return null;
  return { queue, workflow, version: Number(version) };
}
