const BAR_WIDTH = 30;
const SHOWN_NODES = 4;

/** The progress of a graph's run as lines, the one that says it all first. */
export function progressLines({ runId, status, done, running, retrying, tasks, worker }) {
  const filled = Math.round((done / tasks) * BAR_WIDTH);
  const bar = `${'#'.repeat(filled)}${'.'.repeat(BAR_WIDTH - filled)}`;
  return [
    `  [${bar}] ${done}/${tasks} nodes done, ${running.length} running${worker === undefined ? '' : ` on ${worker}`}`,
    `  run ${runId}, ${status}`,
    `  now: ${shortList([...running, ...retrying.map((id) => `${id} (again)`)])}`,
  ];
}

function shortList(names) {
  if (names.length === 0) return '–';
  const more = names.length - SHOWN_NODES;
  return `${names.slice(0, SHOWN_NODES).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
