/**
 * Writes apps/api/src/metadata.ts: what Swagger's plugin reads from the types and comments of DTOs and controllers,
 * which the SWC compiler drops. With --check only compares. A step of its own rather than part of `nest build`, so
 * that a build never changes a checked-in file and never compiles a stale one.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { PluginMetadataGenerator } from '@nestjs/cli/lib/compiler/plugins/plugin-metadata-generator.js';
import { ReadonlyVisitor } from '@nestjs/swagger/plugin';
import { settleGeneratedFile } from './generated-file.mjs';

const SOURCE = 'apps/api/src';
const GENERATED = `${SOURCE}/metadata.ts`;
const TSCONFIG = 'apps/api/tsconfig.build.json';

const isCheck = process.argv.includes('--check');
if (readdirSync(SOURCE, { recursive: true }).some((name) => /\.(dto|controller)\.ts$/.test(name))) {
  const isFresh = settleGeneratedFile({ path: GENERATED, text: metadataText(), isCheck });
  process.exitCode = isCheck && !isFresh ? 1 : 0;
}

function metadataText() {
  // The generator can only write to a file; a folder of its own keeps --check from touching the real one.
  const outputDir = mkdtempSync(join(tmpdir(), 'millrace-metadata-'));
  try {
    new PluginMetadataGenerator().generate({
      outputDir,
      visitors: [new ReadonlyVisitor({ introspectComments: true, esmCompatible: true, pathToSource: resolve(SOURCE) })],
      tsProgramRef: ReadonlyVisitor.createTsProgram(TSCONFIG),
    });
    const printed = readFileSync(join(outputDir, 'metadata.ts'), 'utf8').replace('/* eslint-disable */\n', '');
    return `// Generated from the DTOs and controllers by "npm run generate". Do not edit.\n${printed}\n`;
  } finally {
    rmSync(outputDir, { recursive: true });
  }
}
