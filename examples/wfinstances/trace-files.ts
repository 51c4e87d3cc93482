import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Data files are not compiled: from `dist` they are where the sources are. */
const here = import.meta.url.replace('/dist/examples/', '/examples/');
const shippedFolder = fileURLToPath(new URL('./traces/', here));
const workloadsBesideTheRepository = fileURLToPath(new URL('../../../shared/workloads/', here));

/** Path of a trace that comes with the project. */
export function shippedTrace(fileName: 'helloworld-forkjoin-10-chameleon.json' | 'bacass-dirt02-001.json'): string {
  return join(shippedFolder, fileName);
}

/**
 * Every trace at hand: those that come with the project, and those of the folder that `MILLRACE_WORKLOADS` names, else of
 * `../shared/workloads` beside the repository when there is one.
 */
export function traceFiles(workloads: string = process.env['MILLRACE_WORKLOADS'] ?? workloadsBesideTheRepository): string[] {
  const byName = new Map<string, string>();
  for (const folder of [workloads, shippedFolder]) {
    if (!existsSync(folder)) continue;
    for (const name of readdirSync(folder)) if (name.endsWith('.json')) byName.set(basename(name), join(folder, name));
  }
  return [...byName.values()].sort();
}

/** A trace file, parsed and not yet checked. */
export function parseTraceFile(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'));
}
