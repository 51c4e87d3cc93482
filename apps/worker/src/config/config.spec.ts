import { describe, expect, it } from '@jest/globals';
import { ConfigurationError } from '@millrace/durable';
import { describeConfig, loadConfig } from './config.js';

const base = { MILLRACE_WORKFLOWS: './flows.js' };

function faultsOf(env: Record<string, string>): string[] {
  try {
    loadConfig(env);
  } catch (error) {
    if (error instanceof ConfigurationError) return error.details['problems'] as string[];
    throw error;
  }
  return [];
}

describe('loadConfig', () => {
  it('needs to be told the workflow modules and nothing else', () => {
    expect(loadConfig(base)).toEqual({
      redisUrl: 'redis://127.0.0.1:6379',
      namespace: 'default',
      partitions: 16,
      workflowModules: ['./flows.js'],
      options: {},
      payloadLimitBytes: 1_048_576,
      logLevel: 'info',
      health: null,
    });
    expect(faultsOf({})).toEqual(['MILLRACE_WORKFLOWS must name the modules to load, separated by commas']);
  });

  it('hands worker options on as they were written', () => {
    const env = {
      ...base,
      MILLRACE_CONCURRENCY: '7',
      MILLRACE_LEASE: '30s',
      MILLRACE_HEARTBEAT: '9s',
      MILLRACE_GRACE: '0',
      MILLRACE_EXCLUSIVE_NAME: 'true',
      MILLRACE_WORKER_NAME: 'w-1',
      MILLRACE_QUEUES: 'a, b',
      MILLRACE_HEALTH_PORT: '0',
    };
    expect(loadConfig(env)).toMatchObject({
      options: { concurrency: 7, lease: '30s', heartbeat: '9s', grace: 0, exclusiveName: true, name: 'w-1', queues: ['a', 'b'] },
      health: { host: '127.0.0.1', port: 0 },
    });
  });

  it.each(['0', '', 'abc', '-1', '1.5', '1e9', ' 5 ', 'Infinity', 'NaN', '10001'])(
    'refuses MILLRACE_CONCURRENCY %p, shown (B131)',
    (text) => {
      const [fault, ...others] = faultsOf({ ...base, MILLRACE_CONCURRENCY: text });
      expect(fault).toMatch(/^MILLRACE_CONCURRENCY must be a whole number from 1 to 10000, not /);
      expect(fault).toContain(text);
      expect(others).toEqual([]);
    },
  );

  it.each(['', 'abc', '-1', '1.5', '1e9', ' 5s ', 'Infinity', '2s'])('refuses MILLRACE_LEASE %p (B131)', (text) => {
    expect(faultsOf({ ...base, MILLRACE_LEASE: text })).toEqual([expect.stringMatching(/^MILLRACE_LEASE must be /)]);
  });

  it.each(['redis+cluster://u:p@a:1,b:2', 'rediss+sentinel://a,b/main'])('takes the address %s', (url) => {
    expect(loadConfig({ ...base, MILLRACE_REDIS_URL: url }).redisUrl).toBe(url);
    expect(faultsOf({ ...base, MILLRACE_REDIS_URL: `${url}?x` })).toEqual([
      expect.stringContaining('MILLRACE_REDIS_URL must have no query'),
    ]);
  });

  it('names every bad setting in one message, in the words of the environment', () => {
    const faults = faultsOf({
      MILLRACE_WORKFLOWS: 'a,,b',
      MILLRACE_REDIS_URL: 'http://user:s3cret@host',
      MILLRACE_NAMESPACE: 'Big',
      MILLRACE_PARTITIONS: '0',
      MILLRACE_PAYLOAD_LIMIT: '1',
      MILLRACE_LOG_LEVEL: 'loud',
      MILLRACE_HEALTH_PORT: '70000',
      MILLRACE_CLAIMS: '0',
      MILLRACE_BLOCK: '0',
      MILLRACE_EXCLUSIVE_NAME: 'yes',
      MILLRACE_WORKER_NAME: 'no spaces',
    });
    expect(faults.map((fault) => fault.split(' ')[0])).toEqual([
      'MILLRACE_REDIS_URL',
      'MILLRACE_NAMESPACE',
      'MILLRACE_PARTITIONS',
      'MILLRACE_WORKFLOWS',
      'MILLRACE_PAYLOAD_LIMIT',
      'MILLRACE_LOG_LEVEL',
      'MILLRACE_HEALTH_PORT',
      'MILLRACE_WORKER_NAME',
      'MILLRACE_CLAIMS',
      'MILLRACE_BLOCK',
      'MILLRACE_EXCLUSIVE_NAME',
    ]);
    expect(faults.join()).not.toContain('s3cret');
  });

  it('refuses a heartbeat that does not fit the lease', () => {
    expect(faultsOf({ ...base, MILLRACE_LEASE: '6s', MILLRACE_HEARTBEAT: '6s' })).toEqual([
      'MILLRACE_HEARTBEAT ("6s") must be at most a third of the lease (6s)',
    ]);
  });

  it('does not show the address of Redis', () => {
    const config = loadConfig({ ...base, MILLRACE_REDIS_URL: 'redis://:s3cret@host' });
    expect(JSON.stringify(describeConfig(config))).not.toContain('s3cret');
  });
});
