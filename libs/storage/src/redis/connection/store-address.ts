import { isIPv6 } from 'node:net';

/** A host and a port. An IPv6 host has no brackets here. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Where the servers are. */
export type Servers =
  | { readonly kind: 'standalone'; readonly address: Address }
  | { readonly kind: 'sentinel'; readonly sentinels: readonly Address[]; readonly name: string }
  | { readonly kind: 'cluster'; readonly nodes: readonly Address[] };

/** What the address of a store says. User name and password are those of the Redis servers; sentinels are asked without. */
export interface StoreAddress {
  readonly servers: Servers;
  readonly username: string | null;
  readonly password: string | null;
  readonly isTls: boolean;
}

/** What is wrong with an address: ends of a sentence that begins with its name. Never a part of the address: it may hold a password. */
export interface AddressFaults {
  readonly faults: readonly string[];
}

const FORM = /^redis(s?)(?:\+(cluster|sentinel))?:\/\/([^/?#]*)([^?#]*)$/i;
const HOST = /^(?:\[([\da-f:.]+)\]|([a-z\d._-]+))(?::(\d{1,5}))?$/i;
/** The characters that Redis itself allows in the name of a master. */
const MASTER_PATH = /^\/([A-Za-z\d._-]+)$/;
const REDIS_PORT = 6379;
const SENTINEL_PORT = 26_379;

/**
 * Reads the address of one server (`redis://[user:password@]host:port`), of a cluster (`redis+cluster://` with some of its
 * nodes, separated by commas) or of the master that sentinels name (`redis+sentinel://host:port,host:port/master-name`);
 * `rediss` in front is TLS. Left-out ports are 6379, of sentinels 26379. Special characters of user name and password are
 * percent-encoded.
 */
export function parseStoreAddress(text: string): StoreAddress | AddressFaults {
  const match = FORM.exec(text);
  if (match === null) return { faults: [formFault(text)] };
  const [, tls, kind = 'standalone', authority = '', path = ''] = match;
  const faults: string[] = [];
  const at = authority.lastIndexOf('@');
  const address = {
    ...credentialsOf(authority.slice(0, Math.max(0, at)), faults),
    servers: serversOf(kind.toLowerCase() as Servers['kind'], authority.slice(at + 1), path, faults),
    isTls: tls !== '',
  };
  return faults.length > 0 ? { faults } : address;
}

/** The faults of an address; none when a storage can be opened with it. See {@link parseStoreAddress} for the forms. */
export function addressFaults(text: string): readonly string[] {
  const parsed = parseStoreAddress(text);
  return 'faults' in parsed ? parsed.faults : [];
}

function formFault(text: string): string {
  if (/^rediss?(\+\w+)?:\/\/[^?#]*[?#]/i.test(text)) return 'must have no query and no fragment; ? and # of a password are %3F and %23';
  return 'must have the form redis://host:port, redis+cluster://host:port,host:port or redis+sentinel://host:port,host:port/master-name, with rediss for TLS';
}

function credentialsOf(text: string, faults: string[]): Pick<StoreAddress, 'username' | 'password'> {
  const colon = text.indexOf(':');
  const [username, password] = colon < 0 ? [text, ''] : [text.slice(0, colon), text.slice(colon + 1)];
  try {
    return { username: decodeURIComponent(username) || null, password: decodeURIComponent(password) || null };
  } catch {
    // The reason would show the text.
    faults.push('must have a percent-encoded user name and password: % itself is %25');
    return { username: null, password: null };
  }
}

function serversOf(kind: Servers['kind'], hosts: string, path: string, faults: string[]): Servers {
  const addresses = hosts.split(',').map((host, index) => hostOf(host, index, kind === 'sentinel' ? SENTINEL_PORT : REDIS_PORT, faults));
  const [first] = addresses as [Address];
  if (kind === 'sentinel') return { kind, sentinels: addresses, name: masterNameOf(path, faults) };
  if (!['', '/', '/0'].includes(path)) faults.push('must name database 0 or none');
  if (kind === 'cluster') return { kind, nodes: addresses };
  if (addresses.length > 1) faults.push('must name one server; several are redis+cluster:// or redis+sentinel://');
  return { kind, address: first };
}

function hostOf(text: string, index: number, defaultPort: number, faults: string[]): Address {
  const [, ipv6, name, portText] = HOST.exec(text) ?? [];
  const port = portText === undefined ? defaultPort : Number(portText);
  const host = name ?? (ipv6 !== undefined && isIPv6(ipv6) ? ipv6 : '');
  if (host === '' || port < 1 || port > 65_535) faults.push(`must have a host and a port of 1 to 65535 as its host ${index + 1}`);
  return { host, port };
}

function masterNameOf(path: string, faults: string[]): string {
  const name = MASTER_PATH.exec(path)?.[1];
  if (name === undefined) faults.push('must end in / and the name of the master, of letters, digits, . _ and -');
  return name ?? '';
}
