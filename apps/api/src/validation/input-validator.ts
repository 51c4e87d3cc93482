import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Problem, WorkflowAnnouncement } from '@millrace/durable';

/** Compiled schemas that are kept. */
const KEPT_SCHEMAS = 200;
/** Faults that are named. */
const NAMED_FAULTS = 50;

/** Checks inputs against the JSON Schemas that workers announce. Each schema is compiled once a definition. */
export class InputValidator {
  private readonly compiled = new Map<string, ValidateFunction>();

  /** The faults of an input, none when it fits or nothing was announced. @throws Error when the announced schema is no JSON Schema */
  readonly validate = (workflow: WorkflowAnnouncement, input: unknown): readonly Problem[] => {
    if (workflow.inputSchema === null) return [];
    const check = this.compiledOf(workflow);
    return check(input) ? [] : (check.errors ?? []).slice(0, NAMED_FAULTS).map(problemOf);
  };

  private compiledOf({ workflow, version, definitionHash, inputSchema }: WorkflowAnnouncement): ValidateFunction {
    const key = `${workflow}|${version}|${definitionHash}`;
    const check = this.compiled.get(key) ?? compile(inputSchema, key);
    // Newest last: the first is the one that was not used for the longest time.
    this.compiled.delete(key);
    this.compiled.set(key, check);
    const [oldest] = this.compiled.keys();
    if (this.compiled.size > KEPT_SCHEMAS && oldest !== undefined) this.compiled.delete(oldest);
    return check;
  }
}

/**
 * A validator of its own for each schema: two that give themselves the same `$id` must not meet, and what is dropped from the
 * cache is really gone. `ownProperties`: an input does not have `toString` because every object has.
 */
function compile(schema: unknown, key: string): ValidateFunction {
  const ajv = new Ajv2020({ strict: false, allErrors: true, ownProperties: true, validateFormats: false, logger: false });
  try {
    return ajv.compile(schema as object | boolean);
  } catch (cause) {
    throw new Error(`the input schema of ${key} is no JSON Schema`, { cause });
  }
}

function problemOf({ instancePath, message = 'is not valid', keyword, params }: ErrorObject): Problem {
  const path = `$${instancePath.split('/').slice(1).map(pathPart).join('')}`;
  const name = keyword === 'additionalProperties' ? ` (${String(params['additionalProperty']).slice(0, 60)})` : '';
  const allowed = keyword === 'enum' ? `: ${JSON.stringify(params['allowedValues']).slice(0, 200)}` : '';
  return { path, message: `${message}${name}${allowed}` };
}

/** A part of a JSON pointer as our paths spell it. */
function pathPart(part: string): string {
  const name = part.replaceAll('~1', '/').replaceAll('~0', '~').slice(0, 60);
  if (/^\d+$/.test(name)) return `[${name}]`;
  return /^[A-Za-z_$][\w$]*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}
