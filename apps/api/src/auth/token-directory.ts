import { createHash, timingSafeEqual } from 'node:crypto';
import type { ApiToken } from '../config/api-token.js';

/** Finds the configured token that a request presents, in a time that tells nothing about the tokens. */
export class TokenDirectory {
  private readonly entries: ReadonlyArray<readonly [hash: Buffer, token: ApiToken]>;

  constructor(tokens: readonly ApiToken[]) {
    this.entries = tokens.map((token) => [Buffer.from(token.hash, 'hex'), token] as const);
  }

  get isEmpty(): boolean {
    return this.entries.length === 0;
  }

  /** @param authorization the header as it came: `Bearer <token>`, the scheme in any case */
  find(authorization: string | undefined): ApiToken | null {
    const presented = /^bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
    if (presented === undefined) return null;
    const presentedHash = createHash('sha256').update(presented).digest();
    let found: ApiToken | null = null;
    // Every one is compared: stopping at the first would tell its place.
    for (const [hash, token] of this.entries) if (timingSafeEqual(hash, presentedHash)) found = token;
    return found;
  }
}
