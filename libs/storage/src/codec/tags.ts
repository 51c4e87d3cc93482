/**
 * A stored payload is either JSON text, or this prefix and JSON text in which every object with the one key `$` is a tag:
 * `~1{"at":{"$":["date",0]}}`. No JSON text begins with `~`, so neither form is mistaken for the other. `1` is the
 * format's version.
 */
export const TAGGED_PREFIX = '~1';

/** What every tagged form begins with, whatever its version. */
export const TAGGED_MARK = '~';

/** The one key of a tag. Its value is `[kind, …]`. */
export const TAG = '$';

/** `plain`: an object that looks like a tag. `bare`: an object without a prototype. */
export type TagKind = 'undefined' | 'number' | 'bigint' | 'date' | 'map' | 'set' | 'regexp' | 'bytes' | 'error' | 'plain' | 'bare';
