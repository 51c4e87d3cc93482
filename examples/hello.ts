import { workflow } from '@millrace/durable';

interface Guest {
  readonly name: string;
}

/** Three confirmed steps. Kill its worker at any moment: another one goes on after the last of them. */
export const hello = workflow({ name: 'hello', version: 1 }, async (run, guest: Guest) => {
  const greeting = await run.step('greet', () => `Hello, ${guest.name}!`);
  await run.sleep('pause', '2s');
  const [shout, letters] = await Promise.all([
    run.step('shout', () => greeting.toUpperCase(), { attempts: 5, timeout: '10s' }),
    run.step('count', () => greeting.length),
  ]);
  return { shout, letters, at: new Date(run.now()).toISOString() };
});
