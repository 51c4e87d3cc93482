/**
 * Loaded before the API and the workers of a quickstart: ends them, as SIGTERM does, when the quickstart is gone without having
 * said so. The channel to it is used for nothing else and keeps no process alive.
 */
process.channel?.unref();
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
