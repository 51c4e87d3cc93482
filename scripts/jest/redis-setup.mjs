/**
 * Starts the one Redis server that all specs named *.redis.spec.ts share, each in a namespace of its own, and hands
 * its address over in MILLRACE_TEST_REDIS_URL. Jest loads this file outside of its transforms, hence the built copy.
 */
const built = new URL('../../dist/libs/storage/src/testing/redis-server.js', import.meta.url);

export default async function startSharedRedis() {
  const { startRedis } = await import(built.href).catch((cause) => {
    throw new Error('the test harness is not built: run `npm run build` first', { cause });
  });
  globalThis.sharedRedis = await startRedis();
  process.env.MILLRACE_TEST_REDIS_URL = globalThis.sharedRedis.url;
}
