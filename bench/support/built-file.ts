import { fileURLToPath } from 'node:url';

/** @param path of a file of bench, without its ending. Answers its built copy: processes load JavaScript. */
export function builtFile(path: string): string {
  const here = import.meta.url;
  const folder = new URL('../', here.endsWith('.ts') ? here.replace('/bench/', '/dist/bench/') : here);
  return fileURLToPath(new URL(`${path}.js`, folder));
}
