/** User name and password of an address, up to the last `@` before the host: a password may hold one itself. */
const CREDENTIALS = /(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/'"]*@/gi;

/** The text without the credentials of addresses in it: `redis://:secret@host` becomes `redis://***@host`. */
export function redactCredentials(text: string): string {
  return text.replaceAll(CREDENTIALS, '$1***@');
}
