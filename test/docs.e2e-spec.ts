import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from '@jest/globals';
import { errorCodes } from '@millrace/durable';
import { startRedis, tracked } from '@millrace/storage/testing';

const track = tracked(afterEach);
const root = resolve(import.meta.dirname, '..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const matches = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, found]) => found ?? '');
const unique = (values: readonly string[]) => [...new Set(values)].sort();

/** Text of a chapter, up to the next heading of its level or above. */
function chapter(text: string, heading: string): string {
  const start = text.indexOf(`\n${heading}\n`);
  if (start < 0) throw new Error(`there is no chapter ${heading}`);
  const level = heading.split(' ')[0]?.length ?? 1;
  const rest = text.slice(start + heading.length + 1);
  const end = rest.search(new RegExp(`\\n#{1,${level}} `));
  return end < 0 ? rest : rest.slice(0, end);
}

/** Sources of a folder, without specs. */
function sources(folder: string): string {
  const names = readdirSync(join(root, folder), { recursive: true }) as string[];
  return names
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts') && !name.startsWith('testing'))
    .map((name) => read(join(folder, name)))
    .join('\n');
}

/** Routes that the API itself describes, as `GET /v1/runs/:runId`. */
async function describedRoutes(): Promise<string[]> {
  const redis = await track(startRedis());
  const env = { ...process.env, MILLRACE_REDIS_URL: redis.url, MILLRACE_PORT: '0', MILLRACE_LOG_LEVEL: 'info', NODE_OPTIONS: '' };
  const api = spawn(process.execPath, [join(root, 'dist/apps/api/src/main.js')], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  await track({ stop: () => endProcess(api) });
  const document = (await (await fetch(`${await listeningAt(api)}/openapi.json`)).json()) as { paths: Record<string, object> };
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`),
  );
}

type Spawned = ReturnType<typeof spawn>;

async function listeningAt(api: Spawned): Promise<string> {
  if (api.stdout === null) throw new Error('the API has no output');
  for await (const line of createInterface({ input: api.stdout })) {
    const { url } = JSON.parse(line) as { url?: string };
    if (url !== undefined) return url;
  }
  throw new Error('the API ended without listening');
}

async function endProcess(child: Spawned): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

describe('docs/http.md', () => {
  it('has a chapter for every route, and no other', async () => {
    expect(unique(matches(read('docs/http.md'), /^### ([A-Z]+ \/\S*)$/gm))).toEqual(unique(await describedRoutes()));
  });

  it('lists every problem code', () => {
    const listed = unique(matches(chapter(read('docs/http.md'), '## Problems'), /^\| \d{3} \| `(\w+)`/gm));
    const api = sources('apps/api/src');
    const decided = matches(api, /code: '([a-z_]+)'/g);
    const ofLibrary = Object.keys(errorCodes).filter((code) => new RegExp(`^  ${code}: \\{ status: \\d+ \\}`, 'm').test(api));
    const ofFramework = ['not_found', 'too_many_requests', 'body_too_large', 'unsupported_media_type', 'internal_error'];
    expect(listed).toEqual(unique([...decided, ...ofLibrary, ...ofFramework]));
  });
});

describe('docs/errors.md', () => {
  it('says of every code what the library says', () => {
    const rows = Object.entries(errorCodes).map(
      ([code, { error, retryable, meaning }]) => `| \`${code}\` | \`${error}\` | ${retryable ? 'yes' : 'no'} | ${meaning} |`,
    );
    expect(
      read('docs/errors.md')
        .split('\n')
        .filter((line) => line.startsWith('| `')),
    ).toEqual(rows);
  });
});

describe('README.md', () => {
  it.each([
    ['### API', 'apps/api/src/config'],
    ['### Worker', 'apps/worker/src/config'],
  ])('lists every setting of %s', (heading, folder) => {
    const listed = matches(chapter(read('README.md'), heading), /^\| `(MILLRACE_\w+)`/gm);
    expect(unique(listed)).toEqual(unique(matches(sources(folder), /'(MILLRACE_[A-Z_]+)'/g)));
  });
});

describe('every document', () => {
  const documents = ['README.md', 'CHANGELOG.md', ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`)].filter((name) =>
    name.endsWith('.md'),
  );

  it.each(documents)('%s links only to what is there', (name) => {
    const links = matches(read(name), /\]\((?!https?:)([^)]+)\)/g);
    const broken = links.filter((link) => {
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? name : join(dirname(name), path);
      return !existsSync(join(root, target)) || (anchor !== undefined && !anchorsOf(target).includes(anchor));
    });
    expect(broken).toEqual([]);
  });

  it.each(documents)('%s names only npm scripts that are there', (name) => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const named = matches(read(name), /npm run ([\w:]+)/g);
    expect(named.filter((script) => !(script in scripts))).toEqual([]);
  });
});

/** As GitHub makes them of headings. */
function anchorsOf(file: string): string[] {
  return matches(read(file), /^#+ (.+)$/gm).map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
}
