import { describe, expect, it } from '@jest/globals';
import { failureOf, isWrongType, RedisCallError } from './failures.js';

function replyError(message: string): Error {
  const error = new Error(message);
  error.name = 'ReplyError';
  return Object.assign(error, { command: { name: 'hello', args: ['3', 'AUTH', 'me', 'secret'] } });
}

describe('failureOf', () => {
  it.each([
    ['LOADING Redis is loading the dataset in memory', 'transient'],
    ["MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.", 'transient'],
    ["READONLY You can't write against a read only replica.", 'transient'],
    ['CLUSTERDOWN The cluster is down', 'transient'],
    ['TRYAGAIN Multiple keys request during rehashing of slot', 'transient'],
    ['MISCONF Redis is configured to save RDB snapshots', 'transient'],
    ['OOM command not allowed', 'transient'],
    ['NOREPLICAS Not enough good replicas to write.', 'transient'],
    ['NOSCRIPT No matching script.', 'no-script'],
    ['WRONGPASS invalid username-password pair or user is disabled.', 'credentials'],
    ['NOAUTH Authentication required.', 'credentials'],
    ['WRONGTYPE Operation against a key', 'reply'],
    ['ERR unknown command', 'reply'],
    ['NOPERM this user has no permissions', 'reply'],
    ["CROSSSLOT Keys in request don't hash to the same slot", 'reply'],
  ])('%s is %s', (message, kind) => {
    expect(failureOf(replyError(message))).toMatchObject({ kind, code: message.split(' ')[0] });
  });

  it('reads where a slot has gone', () => {
    expect(failureOf(replyError('MOVED 3999 127.0.0.1:6381'))).toMatchObject({ kind: 'moved', address: '127.0.0.1:6381' });
    expect(failureOf(replyError('ASK 3999 127.0.0.1:6381'))).toMatchObject({ kind: 'ask', address: '127.0.0.1:6381' });
  });

  it.each(['Connection is closed.', 'Command timed out', 'connect ECONNREFUSED 127.0.0.1:1', "Stream isn't writeable"])(
    'takes %s for a lost connection: nobody knows whether the call was applied',
    (message) => {
      expect(failureOf(new Error(message)).kind).toBe('connection');
    },
  );

  it('keeps nothing of the command: its arguments may be a password or a payload', () => {
    const { error } = failureOf(replyError('WRONGPASS invalid'));
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain('secret');
  });
});

describe('isWrongType', () => {
  it('knows the error of a key that holds another type', () => {
    expect(isWrongType(new RedisCallError('claim', 'WRONGTYPE', new Error('WRONGTYPE Operation')))).toBe(true);
    expect(isWrongType(new RedisCallError('claim', 'ERR', new Error('ERR WRONGTYPE')))).toBe(false);
  });
});
