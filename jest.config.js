import { availableParallelism } from 'node:os';

/**
 * Jest runs ES modules here. On Node 20 it cannot `require()` one, so the two ES-only packages that a CommonJS
 * dependency (@fastify/static) requires are compiled to CommonJS on the way in.
 */
const esOnlyPackages = '(content-disposition|cookie)';

const toEsModules = {
  swcrc: false,
  sourceMaps: 'inline',
  module: { type: 'es6' },
  jsc: {
    target: 'es2022',
    keepClassNames: true,
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
  },
};

const shared = {
  rootDir: import.meta.dirname,
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: {
    '^@millrace/(durable|storage)$': '<rootDir>/libs/$1/src/index.ts',
    '^@millrace/(durable|storage)/(nest|testing)$': '<rootDir>/libs/$1/src/$2/index.ts',
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/.tsc/'],
  transformIgnorePatterns: [`/node_modules/(?!(?:.*/)?${esOnlyPackages}/)`],
  transform: {
    [`/node_modules/(?:.*/)?${esOnlyPackages}/.+\\.js$`]: ['@swc/jest', { swcrc: false, module: { type: 'commonjs' } }],
    '^.+\\.ts$': ['@swc/jest', toEsModules],
  },
};

const unit = {
  ...shared,
  displayName: 'unit',
  testMatch: ['<rootDir>/libs/**/*.spec.ts', '<rootDir>/apps/**/*.spec.ts', '<rootDir>/examples/**/*.spec.ts'],
  testPathIgnorePatterns: ['/node_modules/', '\\.redis\\.spec\\.ts$'],
};

const redis = {
  ...shared,
  displayName: 'redis',
  testMatch: ['<rootDir>/{libs,apps,examples}/**/*.redis.spec.ts'],
  globalSetup: '<rootDir>/scripts/jest/redis-setup.mjs',
  globalTeardown: '<rootDir>/scripts/jest/redis-teardown.mjs',
};

const e2e = {
  ...shared,
  displayName: 'e2e',
  testMatch: ['<rootDir>/test/**/*.e2e-spec.ts'],
  setupFilesAfterEnv: ['<rootDir>/scripts/jest/e2e-time-limit.mjs'],
};

// Two at least: most of the end-to-end tests wait for leases and processes, and by default two cores mean one worker.
export default { projects: [unit, redis, e2e], testTimeout: 30_000, maxWorkers: Math.max(2, availableParallelism() - 1) };
