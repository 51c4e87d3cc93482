/** Stops the server that redis-setup.mjs started and removes its folder. */
export default async function stopSharedRedis() {
  await globalThis.sharedRedis?.stop();
}
