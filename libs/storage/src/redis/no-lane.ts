import type { Lane } from '@millrace/durable';

/** Stands in the keys of a script for a run whose lane cannot be read: no worker serves it, and the script only tidies up. */
export const NO_LANE: Lane = { queue: '-', workflow: '-', version: 1 };
