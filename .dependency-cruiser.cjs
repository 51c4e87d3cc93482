const SPECS_AND_HARNESSES = '([.-]spec\\.ts$)|(^libs/[^/]+/src/testing/)|(^test/)|(^bench/)';
/** The real clock and randomness stand beside the pure code that they serve, and implement ports. */
const SYSTEM_ADAPTERS = '^libs/durable/src/core/system-(clock|randomness)\\.ts$';

/** Parts of libs/durable, lowest first: what may be imported is below, or in the same part. */
const mayImport = {
  core: ['core'],
  ports: ['core', 'ports'],
  observe: ['core', 'ports', 'observe'],
  engine: ['core', 'ports', 'engine'],
  client: ['core', 'ports', 'client'],
  worker: ['core', 'ports', 'engine', 'worker'],
};

const layerRules = Object.entries(mayImport).map(([part, allowed]) => ({
  name: `durable-${part}-imports-downwards`,
  comment: `Inside durable imports go one way (core, ports, engine, worker and client, nest): ${part} must stay usable and testable without what is above it.`,
  severity: 'error',
  from: { path: `^libs/durable/src/${part}/`, pathNot: [SPECS_AND_HARNESSES, SYSTEM_ADAPTERS] },
  to: { path: '^libs/durable/src/[^/]+/', pathNot: `^libs/durable/src/(${allowed.join('|')})/` },
}));

module.exports = {
  forbidden: [
    {
      name: 'durable-imports-nothing-of-ours',
      comment: 'The durable library is the protocol; it must not know any store, app or test that uses it.',
      severity: 'error',
      from: { path: '^libs/durable/' },
      to: { path: '^(apps|examples|bench|test|scripts|libs/storage)/' },
    },
    {
      name: 'libraries-import-no-app',
      comment: 'Imports go one way: apps, storage, durable.',
      severity: 'error',
      from: { path: '^libs/' },
      to: { path: '^(apps|examples|bench|test)/' },
    },
    {
      name: 'apps-never-import-each-other',
      comment: 'Apps meet in the store only, so that each can be deployed and upgraded alone.',
      severity: 'error',
      from: { path: '^apps/([^/]+)/' },
      to: { path: '^(apps/(?!$1/)|examples/)' },
    },
    {
      name: 'one-door-a-library',
      comment: 'A library is used through its index.ts (or nest/index.ts, testing/index.ts), so that everything behind it can change.',
      severity: 'error',
      from: { path: '^(apps|libs|examples|bench|test)/([^/]+)/' },
      to: { path: '^libs/([^/]+)/src/', pathNot: ['^libs/$2/', '^libs/[^/]+/src/((testing|nest)/)?index\\.ts$'] },
    },
    {
      name: 'bench-measures-from-outside',
      comment: 'Benchmarks use the libraries through their doors and the apps as processes; tests and examples are not theirs.',
      severity: 'error',
      from: { path: '^bench/' },
      to: { path: '^(apps|examples|test|scripts)/' },
    },
    {
      name: 'production-imports-no-test-code',
      comment: 'Fakes, harnesses and fixtures must never reach a running service.',
      severity: 'error',
      from: { path: '^(apps|libs|examples)/', pathNot: SPECS_AND_HARNESSES },
      to: { path: SPECS_AND_HARNESSES },
    },
    {
      name: 'production-imports-no-dev-package',
      comment: 'An image is installed without development packages: such an import works everywhere but there.',
      severity: 'error',
      from: { path: '^(apps|libs|examples)/', pathNot: SPECS_AND_HARNESSES },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'redis-client-only-in-storage',
      comment: 'Only storage knows Redis; every other place speaks to a port, which the memory store implements too.',
      severity: 'error',
      from: { path: '^(apps|libs|examples)/', pathNot: ['^libs/storage/', SPECS_AND_HARNESSES] },
      to: { path: '(^|/)node_modules/ioredis/' },
    },
    {
      name: 'bullmq-only-in-its-adapter',
      comment: 'BullMQ runs the jobs about runs and nothing else: it stays behind one small adapter.',
      severity: 'error',
      from: { path: '^(apps|libs|examples)/', pathNot: ['/bullmq/', SPECS_AND_HARNESSES] },
      to: { path: '(^|/)node_modules/bullmq/' },
    },
    {
      name: 'nest-in-libraries-only-under-nest',
      comment: 'Everything a workflow needs works without Nest; the framework is an adapter on top.',
      severity: 'error',
      from: { path: '^libs/', pathNot: ['^libs/[^/]+/src/nest/', SPECS_AND_HARNESSES] },
      to: { path: '(^|/)node_modules/@nestjs/' },
    },
    {
      name: 'worker-imports-no-inspector',
      comment: 'Write path and read path are two ports: what lists and counts for the API never slows or shapes a worker.',
      severity: 'error',
      from: { path: '^libs/durable/src/(engine|worker)/' },
      to: { path: '^libs/durable/src/ports/inspector' },
    },
    {
      name: 'core-touches-no-machine',
      comment: 'Core is pure: files, sockets, processes and threads are for the layers above.',
      severity: 'error',
      from: { path: '^libs/durable/src/core/', pathNot: SPECS_AND_HARNESSES },
      to: { path: '^(node:)?(fs|fs/promises|net|http|https|tls|child_process|worker_threads|os|cluster|dgram|dns)$' },
    },
    ...layerRules,
    {
      name: 'no-cycle',
      comment:
        'Files that import each other cannot be read, tested or moved alone; cycles of types alone are harmless. ' +
        'metadata.ts is generated and imports its controllers only when it is called.',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'], pathNot: '^apps/api/src/metadata\\.ts$' } },
    },
    {
      name: 'no-unresolvable',
      comment: 'An import that resolves to nothing fails in production at the latest.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(dist|\\.tsc|coverage)/' },
    tsConfig: { fileName: 'tsconfig.base.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'require', 'node', 'default', 'types'] },
  },
};
