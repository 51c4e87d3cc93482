/**
 * Asserts of docker-compose.yml and the Dockerfile what no compiler sees and an operator relies on: data survives,
 * workers scale, SIGTERM arrives and leaves time, and nothing is open without a token.
 */
import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';

const { services, volumes } = load(readFileSync('docker-compose.yml', 'utf8'));
const dockerfile = readFileSync('Dockerfile', 'utf8');
const { redis, api, worker } = services;
const redisFlag = (name) => redis.command[redis.command.indexOf(`--${name}`) + 1];

/** What must hold, in the words of a failure. */
const facts = {
  'redis writes an append-only file': redisFlag('appendonly') === 'yes',
  'redis syncs every write': redisFlag('appendfsync') === 'always',
  'redis never evicts': redisFlag('maxmemory-policy') === 'noeviction',
  'redis keeps its data in a named volume': redis.volumes.some((mount) => mount.endsWith(':/data') && mount.split(':')[0] in volumes),
  'redis is published nowhere': redis.ports === undefined,
  'every service has a health check': Object.values(services).every((service) => service.healthcheck?.test?.length > 0),
  'api and worker wait for a healthy redis': [api, worker].every(({ depends_on: needs }) => needs.redis.condition === 'service_healthy'),
  'the worker can be scaled: no fixed container name, port, host name or identity':
    ['container_name', 'ports', 'hostname'].every((key) => !(key in worker)) && !('MILLRACE_WORKER_NAME' in worker.environment),
  'the worker stops later than its grace ends': seconds(worker.stop_grace_period) > seconds(worker.environment.MILLRACE_GRACE),
  'the api needs tokens from the environment': /^\$\{MILLRACE_TOKENS:\?.+\}$/.test(api.environment.MILLRACE_TOKENS),
  'the api listens beyond the loopback of its container': api.environment.MILLRACE_HOST === '0.0.0.0',
  'the api is published on the loopback of the host alone': api.ports.every((port) => port.startsWith('127.0.0.1:')),
  'commands run node itself, so that SIGTERM reaches it': [api, worker].every(
    ({ command }) => Array.isArray(command) && command[0] === 'node',
  ),
  'commands name the built entry files':
    api.command[1] === 'dist/apps/api/src/main.js' && worker.command[1] === 'dist/apps/worker/src/main.js',
  'the image starts node in exec form': /^CMD \["node", "dist\/apps\/api\/src\/main\.js"\]$/m.test(dockerfile),
  'the image runs as a user without rights': /^USER node$/m.test(dockerfile.slice(dockerfile.lastIndexOf('\nFROM '))),
  'the image is built from the supported Node': dockerfile
    .match(/^FROM .*$/gm)
    .every((line) => line.startsWith('FROM node:20-bookworm-slim')),
};

const broken = Object.entries(facts).filter(([, holds]) => !holds);
for (const [fact] of broken) {
  console.error(`does not hold: ${fact}`);
}
process.exitCode = broken.length > 0 ? 1 : 0;

function seconds(duration) {
  const match = /^(\d+)s$/.exec(duration);
  if (match === null) {
    throw new Error(`"${duration}" is not a number of seconds like "30s"`);
  }
  return Number(match[1]);
}
