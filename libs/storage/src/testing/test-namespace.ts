import { randomBytes } from 'node:crypto';

/**
 * A namespace nobody else uses, so that specs can share one server: `[a-z0-9-]`, at most 40 characters.
 *
 * @param label shows in the keys which spec they belong to; characters outside `[a-z0-9]` become `-`.
 */
export function testNamespace(label = 'test'): string {
  const readable = label
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 20);
  return `${readable === '' ? 'test' : readable}-${randomBytes(8).toString('hex')}`;
}
