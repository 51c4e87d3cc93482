import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { addressFaults, parseStoreAddress, type Address, type Servers, type StoreAddress } from './store-address.js';

/** The address in the form that the parser is to read. */
function written({ servers, username, password, isTls }: StoreAddress): string {
  const credentials =
    username === null && password === null ? '' : `${encoded(username)}${password === null ? '' : `:${encoded(password)}`}@`;
  return `redis${isTls ? 's' : ''}${serversText(servers, credentials)}`;
}

function serversText(servers: Servers, credentials: string): string {
  if (servers.kind === 'cluster') return `+cluster://${credentials}${servers.nodes.map(hostText).join(',')}`;
  if (servers.kind === 'sentinel') return `+sentinel://${credentials}${servers.sentinels.map(hostText).join(',')}/${servers.name}`;
  return `://${credentials}${hostText(servers.address)}`;
}

function hostText({ host, port }: Address): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function encoded(text: string | null): string {
  return encodeURIComponent(text ?? '');
}

const address = fc.record({
  host: fc.oneof(fc.domain(), fc.ipV4(), fc.ipV6(), fc.constant('localhost')),
  port: fc.integer({ min: 1, max: 65_535 }),
});
const addresses = fc.array(address, { minLength: 1, maxLength: 5 });
const name = fc.stringMatching(/^[A-Za-z\d._-]+$/);
const secret = fc.option(fc.string({ unit: 'grapheme', minLength: 1 }));
const storeAddress: fc.Arbitrary<StoreAddress> = fc.record({
  servers: fc.oneof(
    address.map((one): Servers => ({ kind: 'standalone', address: one })),
    addresses.map((nodes): Servers => ({ kind: 'cluster', nodes })),
    fc.tuple(addresses, name).map(([sentinels, master]): Servers => ({ kind: 'sentinel', sentinels, name: master })),
  ),
  username: secret,
  password: secret,
  isTls: fc.boolean(),
});

describe('the address of a store', () => {
  it('reads back whatever is written in its form', () => {
    fc.assert(fc.property(storeAddress, (each) => expect(parseStoreAddress(written(each))).toEqual(each)));
  });

  it('fills in the usual ports, and takes database 0', () => {
    const none = { username: null, password: null, isTls: false };
    expect(parseStoreAddress('redis://a/0')).toEqual({ ...none, servers: { kind: 'standalone', address: { host: 'a', port: 6379 } } });
    expect(parseStoreAddress('REDIS+Cluster://[::1],b:7/')).toEqual({
      ...none,
      servers: {
        kind: 'cluster',
        nodes: [
          { host: '::1', port: 6379 },
          { host: 'b', port: 7 },
        ],
      },
    });
    expect(parseStoreAddress('redis+sentinel://a,b/m')).toMatchObject({ servers: { sentinels: [{ port: 26_379 }, { port: 26_379 }] } });
  });

  it('takes the last @ as the end of the password', () => {
    expect(parseStoreAddress('redis://me:p@ss:word@host')).toMatchObject({
      username: 'me',
      password: 'p@ss:word',
      servers: { address: { host: 'host' } },
    });
  });

  it.each([
    ['http://h', /the form redis:\/\/host:port/],
    ['', /the form/],
    ['redis+cluster:h:1', /the form/],
    ['redis://a:1,b:2', /one server/],
    ['redis://', /host 1/],
    ['redis+cluster://a:1,,b:2', /host 2/],
    ['redis+cluster://a:1,b:2,', /host 3/],
    ['redis://a:0', /port of 1 to 65535/],
    ['redis://a:65536', /port/],
    ['redis://a: 1', /port/],
    ['redis://[::g]:1', /host 1/],
    ['redis://::1', /host 1/],
    ['redis://h/3', /database 0/],
    ['redis+cluster://h/main', /database 0/],
    ['redis+sentinel://h', /name of the master/],
    ['redis+sentinel://h/', /name of the master/],
    ['redis+sentinel://h/main/0', /name of the master/],
    ['redis://h?db=3', /no query/],
    ['redis+sentinel://h/m#x', /no fragment/],
    ['redis://:%zz@h', /percent-encoded/],
  ])('refuses %j', (text, reason) => {
    expect(addressFaults(text)).toEqual([expect.stringMatching(reason)]);
  });

  it('names every fault at once', () => {
    expect(addressFaults('redis+sentinel://:%@a:0,b')).toEqual([
      expect.stringContaining('%25'),
      expect.stringContaining('host 1'),
      expect.stringContaining('name of the master'),
    ]);
  });

  it('shows no part of what may be a password, however badly it is written', () => {
    const broken = fc.tuple(
      fc.constantFrom('redis://', 'rediss://', 'redis+cluster://', 'redis+sentinel://', 'http://', 'redis:/', ''),
      fc.constantFrom('', 'user', 'user:', ':'),
      fc.constantFrom('s3cret', 's3cret/', '/s3cret', '?s3cret', 's3cret#', '%s3cret', 's3cret@', 's3cret:99999', ',s3cret'),
      fc.constantFrom('@', '', '/', ','),
      fc.constantFrom('', 'host', 'host:x', '[::1', 'host/3'),
    );
    fc.assert(fc.property(broken, (parts) => expect(addressFaults(parts.join('')).join(' ')).not.toContain('s3cret')));
  });
});
