/** Answers which worker claimed a run. The workers' logs tell it (level `debug`); the API does not. */
export function workerFinder(workers) {
  const found = new Map();
  return (runId) => {
    if (!found.has(runId)) {
      const name = workers.find((worker) =>
        worker.lines().some((line) => line.includes('"run.claimed"') && line.includes(`"${runId}"`)),
      )?.name;
      if (name !== undefined) found.set(runId, name);
    }
    return found.get(runId);
  };
}
