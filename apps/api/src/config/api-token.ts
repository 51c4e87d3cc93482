import { isNamespace } from '@millrace/durable';

/** What a token may do. `admin` may do everything the others may. */
export type Scope = 'read' | 'submit' | 'control' | 'admin';

/** Every scope, weakest first. */
export const scopes: readonly Scope[] = ['read', 'submit', 'control', 'admin'];

/** A token as the configuration knows it: never the token itself. */
export interface ApiToken {
  /** Names the token in logs and limits. */
  readonly name: string;
  /** SHA-256 of the token, hex, lower case. */
  readonly hash: string;
  readonly namespace: string;
  readonly scopes: readonly Scope[];
}

const fields = new Set(['name', 'hash', 'namespace', 'scopes']);

/** Reads the JSON of MILLRACE_TOKENS. Faults go to `fault`, which never gets a value that may be secret. */
export function readTokens(json: string, fault: (message: string) => void): ApiToken[] {
  const list = parseArray(json);
  if (list === null) {
    fault('must be a JSON array of { name, hash, namespace, scopes }');
    return [];
  }
  const faultsBefore = list.map((entry, index) => tokenFaults(entry).map((message) => `[${index}]${message}`)).flat();
  for (const message of faultsBefore) fault(message);
  if (faultsBefore.length > 0) return [];
  const tokens = list as ApiToken[];
  for (const field of ['name', 'hash'] as const) {
    if (new Set(tokens.map((token) => token[field])).size < tokens.length) fault(`has two tokens of one ${field}`);
  }
  return tokens.map(({ name, hash, namespace, scopes: granted }) => Object.freeze({ name, hash, namespace, scopes: [...granted] }));
}

function parseArray(json: string): unknown[] | null {
  try {
    const value: unknown = JSON.parse(json);
    return Array.isArray(value) ? value : null;
  } catch {
    // The parser's message quotes the text, and the text is what must not be shown.
    return null;
  }
}

function tokenFaults(entry: unknown): string[] {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return [' must be an object'];
  const token = entry as Record<string, unknown>;
  const faults = Object.keys(token)
    .filter((key) => !fields.has(key))
    .map((key) => `.${key.slice(0, 30)} is not known`);
  const { name, hash, namespace } = token;
  if (typeof name !== 'string' || !/^[\w .@-]{1,60}$/.test(name)) faults.push('.name must be 1 to 60 letters, digits, spaces or _ . @ -');
  if (typeof hash !== 'string' || !/^[0-9a-f]{64}$/.test(hash))
    faults.push('.hash must be the SHA-256 of the token as 64 lower-case hex digits');
  if (!isNamespace(namespace)) faults.push('.namespace must be 1 to 40 of a-z, 0-9 and -, the first no -');
  if (!isScopes(token['scopes'])) faults.push(`.scopes must be a list of one or more of ${scopes.join(', ')}`);
  return faults;
}

function isScopes(value: unknown): value is Scope[] {
  return Array.isArray(value) && value.length > 0 && value.every((scope) => (scopes as readonly unknown[]).includes(scope));
}
