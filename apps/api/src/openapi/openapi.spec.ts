import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ApiHarness, startApi } from '../testing/api-harness.js';

interface Operation {
  readonly operationId?: string;
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Readonly<Record<string, unknown>> }>>;
  readonly security?: ReadonlyArray<Readonly<Record<string, unknown>>>;
  readonly parameters?: ReadonlyArray<{ readonly name: string; readonly in: string; readonly required?: boolean }>;
}
interface Document {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, { readonly properties?: Readonly<Record<string, object>> }>>;
    readonly securitySchemes: object;
  };
}

describe('GET /openapi.json', () => {
  let api: ApiHarness;
  let document: Document;
  const operationOf = (route: string): Operation | undefined => {
    const [method = '', url = ''] = route.split(' ');
    return document.paths[url.replaceAll(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
  };
  beforeAll(async () => {
    api = await startApi();
    document = (await api.get('/openapi.json')).json();
  });
  afterAll(() => api.close());

  it('describes every route that the server has, and no other', () => {
    const described = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`),
    );
    expect(described.sort()).toEqual([...api.routes].sort());
    expect(described).toHaveLength(15);
    expect(document.openapi).toBe('3.1.0');
  });

  it('says of every guarded route that it takes a token, and which problems it answers', () => {
    for (const route of api.routes) {
      const operation = operationOf(route);
      const isGuarded = !route.includes('/health/');
      expect([route, operation?.security]).toEqual([route, isGuarded ? [{ token: [] }] : undefined]);
      const statuses = Object.keys(operation?.responses ?? {});
      if (isGuarded) expect(statuses).toEqual(expect.arrayContaining(['401', '403', '429', '500', '503']));
      for (const [status, { content, description }] of Object.entries(operation?.responses ?? {})) {
        expect(description).not.toBe('');
        if (Number(status) >= 400) expect(Object.keys(content ?? {})).toEqual(['application/problem+json']);
      }
    }
    expect(document.components.securitySchemes).toHaveProperty('token');
  });

  it('gives every operation a name of its own, and every path parameter a place', () => {
    const ids = api.routes.map((route) => operationOf(route)?.operationId);
    expect(new Set(ids).size).toBe(api.routes.length);
    for (const route of api.routes.filter((each) => each.includes(':runId'))) {
      expect(operationOf(route)?.parameters).toContainEqual(expect.objectContaining({ name: 'runId', in: 'path', required: true }));
    }
  });

  it('has an optional header for ids of events and of repetition', () => {
    const header = (route: string, name: string) =>
      operationOf(route)?.parameters?.filter((parameter) => parameter.name.toLowerCase() === name && parameter.in === 'header');
    expect(header('GET /v1/runs/:runId/events', 'last-event-id')).toMatchObject([{ required: false }]);
    expect(header('POST /v1/runs', 'idempotency-key')).toMatchObject([{ required: false }]);
  });

  it('resolves every reference, and no schema is empty', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name ?? '');
    for (const name of references) expect(Object.keys(document.components.schemas)).toContain(name);
    for (const [name, { properties }] of Object.entries(document.components.schemas))
      expect([name, Object.keys(properties ?? {}).length > 0]).toEqual([name, true]);
  });

  it('calls whole numbers integers and writes null as 3.1 does', () => {
    expect(document.components.schemas['RunDto']?.properties?.['version']).toMatchObject({ type: 'integer' });
    expect(document.components.schemas['RunDto']?.properties?.['endedAt']).toMatchObject({ type: ['string', 'null'] });
    expect(JSON.stringify(document)).not.toContain('"nullable"');
  });
});
