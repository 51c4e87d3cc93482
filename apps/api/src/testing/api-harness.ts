import { createHash } from 'node:crypto';
import {
  type Codec,
  type Lane,
  systemClock,
  systemRandomness,
  type WorkerAnnouncement,
  type WorkflowAnnouncement,
} from '@millrace/durable';
import { createPayloadCodec, MemoryStorage } from '@millrace/storage';
import type { LightMyRequestResponse } from 'fastify';
import type { ApiDeps } from '../api-deps.js';
import { loadConfig } from '../config/config.js';
import { createApp } from '../create-app.js';
import { createLogger } from '../logging/logger.js';
import type { ApiStorage } from '../namespaces/api-storage.js';

/** An API on a memory store, spoken to without a socket. */
export interface ApiHarness {
  readonly storage: MemoryStorage;
  readonly codec: Codec;
  readonly routes: readonly string[];
  call(method: string, url: string, options?: CallOptions): Promise<LightMyRequestResponse>;
  get(url: string, headers?: Readonly<Record<string, string>>): Promise<LightMyRequestResponse>;
  post(url: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<LightMyRequestResponse>;
  close(): Promise<void>;
}

interface CallOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as it is. */
  readonly text?: string;
}

/** What a test changes of an API. */
export interface HarnessOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly deps?: Partial<ApiDeps>;
  /** Opened once a namespace; by default all share the harness's store. */
  readonly openStorage?: (namespace: string, shared: MemoryStorage) => Promise<ApiStorage>;
}

/** Schema of the workflow `greet`, that every harness announces. */
const greetSchema = {
  type: 'object',
  properties: { name: { type: 'string', minLength: 1 }, extra: true },
  required: ['name'],
  additionalProperties: false,
};

export const greetLane: Lane = { queue: 'default', workflow: 'greet', version: 1 };

/** Starts an API with the workflows `greet` (with a schema) and `any` (without), and a worker that serves the task `paint`. */
export async function startApi({ env = {}, deps = {}, openStorage }: HarnessOptions = {}): Promise<ApiHarness> {
  const config = loadConfig({ MILLRACE_LOG_LEVEL: 'silent', ...env });
  const clock = deps.clock ?? systemClock;
  const storage = await MemoryStorage.open({ namespace: 'default', clock });
  await storage.registry.announceWorkflows([announcement('greet', { inputSchema: greetSchema }), announcement('any')]);
  await storage.registry.announce(worker({ tasks: [{ queue: 'default', task: 'paint' }] }), 60_000);
  const codec = createPayloadCodec({ maxBytes: config.payloadLimitBytes });
  const { app, routes } = await createApp({
    config,
    codec,
    clock,
    random: systemRandomness,
    logger: createLogger(config),
    openStorage: openStorage === undefined ? async () => storage : (namespace) => openStorage(namespace, storage),
    onFatal: (error) => {
      throw error;
    },
    ...deps,
  });
  const call: ApiHarness['call'] = (method, url, { headers = {}, text } = {}) =>
    app.inject({
      method: method as 'GET',
      url,
      headers: { host: 'localhost', ...headers },
      ...(text === undefined ? {} : { payload: text }),
    });
  return {
    storage,
    codec,
    routes: routes(),
    call,
    get: (url, headers = {}) => call('GET', url, { headers }),
    post: (url, body, headers = {}) =>
      call(
        'POST',
        url,
        body === undefined ? { headers } : { headers: { 'content-type': 'application/json', ...headers }, text: JSON.stringify(body) },
      ),
    close: () => app.close(),
  };
}

export function announcement(workflow: string, options: Partial<WorkflowAnnouncement> = {}): WorkflowAnnouncement {
  return {
    workflow,
    version: 1,
    queue: 'default',
    definitionHash: `${workflow} ${options.version ?? 1}`,
    inputSchema: null,
    graph: null,
    ...options,
  };
}

export function worker(options: Partial<WorkerAnnouncement> = {}): WorkerAnnouncement {
  const names = { incarnation: 'w1.AAAAAAAAAAA', name: 'w1', host: 'here', pid: 1, hostId: null, processStart: null };
  return { ...names, startedAt: 1_800_000_000_000, concurrency: 50, lanes: [greetLane], tasks: [], goodbye: false, ...options };
}

/** The value of MILLRACE_TOKENS for these tokens, and how each is presented. */
export function tokensEnv(tokens: ReadonlyArray<Readonly<{ token: string; namespace?: string; scopes: readonly string[] }>>): string {
  return JSON.stringify(
    tokens.map(({ token, namespace = 'default', scopes }, index) => ({
      name: `token ${index}`,
      hash: createHash('sha256').update(token).digest('hex'),
      namespace,
      scopes,
    })),
  );
}

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
