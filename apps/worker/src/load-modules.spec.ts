import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { ConfigurationError } from '@millrace/durable';
import { loadModules } from './load-modules.js';
import { Alone, Helping, plainWorkflow, several } from './testing/sample-modules.js';
import { dynamicModule, InsideModule } from './testing/sample-nest-module.js';

const folder = fileURLToPath(new URL('./testing/', import.meta.url));

describe('loadModules', () => {
  it('finds definitions and marked classes, by name, as default and in lists, each once', async () => {
    const loaded = await loadModules(['./sample-modules.ts', './sample-modules.ts'], folder);
    expect(loaded.nestModules).toEqual([]);
    expect(loaded.providers).toEqual([Alone, Helping]);
    expect(new Set(loaded.workflows)).toEqual(new Set([plainWorkflow, several[0]]));
    expect(loaded.tasks).toEqual([several[1]]);
  });

  it('leaves classes to the Nest module that is exported beside them', async () => {
    const loaded = await loadModules(['./sample-nest-module.ts'], folder);
    expect(new Set(loaded.nestModules)).toEqual(new Set([InsideModule, dynamicModule]));
    expect(loaded.providers).toEqual([]);
  });

  it('names every module that cannot be loaded or serves nothing', async () => {
    const loading = loadModules(['./missing.js', '../exit-codes.ts'], folder);
    await expect(loading).rejects.toThrow(ConfigurationError);
    await expect(loading).rejects.toThrow(/\.\/missing\.js: [\s\S]*\.\.\/exit-codes\.ts: .*exports no Nest module, workflow or task/);
  });
});
