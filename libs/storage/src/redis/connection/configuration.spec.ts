import { describe, expect, it } from '@jest/globals';
import { ConfigurationError } from '@millrace/durable';
import { resolveConfig, type RedisStorageConfig } from './configuration.js';

function problemsOf(config: RedisStorageConfig): string {
  try {
    resolveConfig(config);
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message;
    throw error;
  }
  throw new Error('the configuration was to be refused');
}

describe('resolveConfig', () => {
  it('applies every default', () => {
    expect(resolveConfig({ url: 'redis://localhost' })).toMatchObject({
      servers: { kind: 'standalone', address: { host: 'localhost', port: 6379 } },
      username: null,
      password: null,
      tls: null,
      namespace: 'millrace',
      partitions: null,
      connectTimeoutMs: 2_000,
      commandTimeoutMs: 2_000,
      giveUpMs: 4_000,
      keepAliveMs: 10_000,
      maxOutstanding: 10_000,
    });
  });

  it('reads user, password and TLS from the address', () => {
    const resolved = resolveConfig({ url: 'rediss://me:p%40ss@[::1]:7000/0' });
    expect(resolved).toMatchObject({
      servers: { kind: 'standalone', address: { host: '::1', port: 7000 } },
      username: 'me',
      password: 'p@ss',
      tls: {},
    });
  });

  it('takes one address of a cluster or of sentinels', () => {
    expect(resolveConfig({ url: 'rediss+cluster://u:p@a:1,b:2' })).toMatchObject({
      servers: { kind: 'cluster', nodes: [{ port: 1 }, { port: 2 }] },
      username: 'u',
      password: 'p',
      tls: {},
    });
    expect(resolveConfig({ url: 'redis+sentinel://a:1/main' }).servers).toMatchObject({ kind: 'sentinel', name: 'main' });
  });

  it('takes sentinels and cluster nodes', () => {
    expect(resolveConfig({ sentinels: [{ host: 's', port: 26379 }], name: 'main' }).servers).toEqual({
      kind: 'sentinel',
      sentinels: [{ host: 's', port: 26379 }],
      name: 'main',
    });
    expect(resolveConfig({ nodes: [{ host: 'n', port: 7000 }] }).servers).toEqual({ kind: 'cluster', nodes: [{ host: 'n', port: 7000 }] });
  });

  it('names every fault in one error', () => {
    const misspelt = { namespace: 'No Spaces', partitions: 0, giveUpMs: 1.5, ulr: 'redis://x' };
    const message = problemsOf(misspelt);
    expect(message).toContain('ulr is no option');
    expect(message).toContain('exactly one of url, sentinels and nodes must be given, not 0');
    expect(message).toContain('namespace must be');
    expect(message).toContain('partitions must be a whole number of 1 to 4096, not 0');
    expect(message).toContain('giveUpMs must be a whole number');
  });

  it.each(['http://user:secret@host', 'redis://user:secret@host/3', 'redis://user:secret@'])(
    'refuses %s and does not show its password',
    (url) => {
      expect(problemsOf({ url })).not.toContain('secret');
    },
  );

  it('refuses two ways to one store, and addresses that are none', () => {
    expect(problemsOf({ url: 'redis://a', nodes: [{ host: 'b', port: 1 }] })).toContain('not 2');
    expect(problemsOf({ nodes: [] })).toContain('nodes must name at least one');
    expect(problemsOf({ nodes: [{ host: 'b', port: 0 }] })).toContain('b:0 is no address');
    expect(problemsOf({ sentinels: [{ host: 'b', port: 1 }] })).toContain('name of the master');
  });
});
