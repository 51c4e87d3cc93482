import { describe, expect, it } from '@jest/globals';
import { ConfigurationError } from '@millrace/durable';
import { tokensEnv } from '../testing/api-harness.js';
import { loadConfig, servedNamespaces } from './config.js';

const faultsOf = (env: Readonly<Record<string, string>>): string => {
  try {
    loadConfig(env);
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message;
    throw error;
  }
  return '';
};

describe('loadConfig', () => {
  it('has a default for everything', () => {
    expect(loadConfig({})).toEqual({
      redisUrl: 'redis://127.0.0.1:6379',
      namespace: 'default',
      partitions: 16,
      host: '127.0.0.1',
      port: 8080,
      tokens: [],
      bodyLimitBytes: 4_194_304,
      payloadLimitBytes: 1_048_576,
      graceMs: 25_000,
      rateLimitPerMinute: 0,
      maxInFlight: 1_000,
      maxWaiting: 2_000,
      logLevel: 'info',
    });
  });

  it.each(['', 'abc', '-1', '1.5', '1e9', ' 5 ', 'Infinity', '0x10', '65536'])('refuses the port %j (B131)', (port) => {
    expect(faultsOf({ MILLRACE_PORT: port })).toContain(
      `MILLRACE_PORT must be a whole number from 0 to 65535, not ${JSON.stringify(port)}`,
    );
  });

  it.each(['redis+cluster://u:p@a:1,b:2', 'rediss+sentinel://a,b/main'])('takes the address %s', (url) => {
    expect(loadConfig({ MILLRACE_REDIS_URL: url }).redisUrl).toBe(url);
    expect(faultsOf({ MILLRACE_REDIS_URL: `${url}?x` })).toContain('MILLRACE_REDIS_URL must have no query');
  });

  it('names every wrong setting in one error', () => {
    const message = faultsOf({
      MILLRACE_REDIS_URL: 'http://x',
      MILLRACE_NAMESPACE: 'Bad Name',
      MILLRACE_PARTITIONS: '0',
      MILLRACE_GRACE: 'soon',
      MILLRACE_LOG_LEVEL: 'loud',
      MILLRACE_BODY_LIMIT: '2048',
      MILLRACE_PAYLOAD_LIMIT: '4096',
      MILLRACE_HOST: '0.0.0.0',
    });
    const names = ['REDIS_URL', 'NAMESPACE', 'PARTITIONS', 'GRACE', 'LOG_LEVEL', 'PAYLOAD_LIMIT', 'HOST'];
    for (const name of names) expect(message).toContain(`MILLRACE_${name} `);
  });

  it.each(['0.0.0.0', '::', '10.0.0.1', 'example.org', ''])('listens on %j only with tokens (B88)', (host) => {
    expect(faultsOf({ MILLRACE_HOST: host })).toContain('must be a loopback address while MILLRACE_TOKENS has none');
    const tokens = tokensEnv([{ token: 't', scopes: ['read'] }]);
    expect(faultsOf({ MILLRACE_HOST: host, MILLRACE_TOKENS: tokens })).toBe('');
  });

  it('reads tokens and serves their namespaces', () => {
    const config = loadConfig({
      MILLRACE_TOKENS: tokensEnv([
        { token: 'a', namespace: 'one', scopes: ['read'] },
        { token: 'b', namespace: 'two', scopes: ['admin'] },
        { token: 'c', namespace: 'one', scopes: ['submit'] },
      ]),
    });
    expect(config.tokens.map(({ name, scopes }) => [name, scopes])).toEqual([
      ['token 0', ['read']],
      ['token 1', ['admin']],
      ['token 2', ['submit']],
    ]);
    expect(servedNamespaces(config)).toEqual(['one', 'two']);
    expect(servedNamespaces(loadConfig({ MILLRACE_NAMESPACE: 'three' }))).toEqual(['three']);
  });

  it('says what is wrong with tokens and shows nothing of them or of a password', () => {
    const secret = 'sesame';
    const bad = [{ name: 'n', hash: secret, namespace: '*', scopes: ['root'], extra: 1 }, secret];
    const message = faultsOf({ MILLRACE_TOKENS: JSON.stringify(bad), MILLRACE_REDIS_URL: `redis//:${secret}@host` });
    for (const part of ['[0].hash', '[0].namespace', '[0].scopes', '[0].extra', '[1] must be an object', 'MILLRACE_REDIS_URL'])
      expect(message).toContain(part);
    expect(message).not.toContain(secret);
    expect(faultsOf({ MILLRACE_TOKENS: `[${secret}` })).not.toContain(secret);
    expect(faultsOf({ MILLRACE_TOKENS: '{}' })).toContain('must be a JSON array');
    expect(faultsOf({ MILLRACE_TOKENS: '' })).toContain('must be a JSON array');
    const twice = JSON.parse(tokensEnv([{ token: 'a', scopes: ['read'] }]));
    expect(faultsOf({ MILLRACE_TOKENS: JSON.stringify([...twice, ...twice]) })).toContain('has two tokens of one hash');
  });
});
