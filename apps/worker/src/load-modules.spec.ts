import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { ConfigurationError } from '@millrace/durable';
import { loadModules } from './load-modules.js';
import * as plain from './testing/sample-modules.js';
import * as nested from './testing/sample-nest-module.js';

const folder = fileURLToPath(new URL('./testing/', import.meta.url));

describe('loadModules', () => {
  it('finds definitions and marked classes, by name, as default and in lists, each once', async () => {
    const loaded = await loadModules(['./sample-modules.ts', './sample-modules.ts'], folder);
    expect(loaded.nestModules).toEqual([]);
    expect(loaded.providers).toEqual([plain.Alone, plain.Helping]);
    expect(new Set(loaded.workflows)).toEqual(new Set([plain.default, plain.plainWorkflow, plain.several[0]]));
    expect(loaded.tasks).toEqual([plain.several[1]]);
    expect(loaded.providers).not.toContain(plain.Service);
    expect(loaded.workflows).not.toContain(plain.somethingElse);
  });

  it('leaves classes to the Nest module that is exported beside them', async () => {
    const loaded = await loadModules(['./sample-nest-module.ts'], folder);
    expect(new Set(loaded.nestModules)).toEqual(new Set([nested.InsideModule, nested.dynamicModule]));
    expect(loaded.providers).not.toContain(nested.Inside);
    expect(loaded.providers).toEqual([]);
  });

  it('names every module that cannot be loaded or serves nothing', async () => {
    const loading = loadModules(['./missing.js', '../exit-codes.ts'], folder);
    await expect(loading).rejects.toThrow(ConfigurationError);
    await expect(loading).rejects.toThrow(/\.\/missing\.js: [\s\S]*\.\.\/exit-codes\.ts: .*exports no Nest module, workflow or task/);
  });
});
