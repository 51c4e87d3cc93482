import 'reflect-metadata';
import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, validateSync, type ValidationError } from 'class-validator';
import { InvalidInput, type Problem } from '../core/errors.js';
import type { InputType } from '../engine/define.js';
import { schemaOfClass } from './class-schema.js';

export type InputClass<Input> = new () => Input;

/** What is wrong with the value itself is said of the root, as in JSONPath. */
const ROOT = '$';

/**
 * The input type of a class-validator class. Unknown properties are refused, as are arrays and anything else that is not a
 * plain object. Validators that answer a promise are not asked: an input is checked in one turn.
 * @throws InvalidInput when the class has no validation decorator: it would accept nothing but an empty object
 */
export function classInput<Input>(type: InputClass<Input>): InputType<Input> {
  if (!isValidated(type))
    throw new InvalidInput(`input class ${type.name}`, [{ path: type.name, message: 'has no class-validator decorator' }]);
  return { schema: schemaOfClass(type), parse: (input) => parseAs(type, input) };
}

function isValidated(type: InputClass<unknown>): boolean {
  return getMetadataStorage().getTargetValidationMetadatas(type, '', true, false).length > 0;
}

function parseAs<Input>(type: InputClass<Input>, input: unknown): Input {
  if (!isPlainObject(input)) throw new InvalidInput(type.name, [{ path: ROOT, message: `must be an object, not ${describe(input)}` }]);
  const instance = plainToInstance(type, input);
  const errors = validateSync(instance as object, { whitelist: true, forbidNonWhitelisted: true, forbidUnknownValues: true });
  if (errors.length > 0)
    throw new InvalidInput(
      type.name,
      errors.flatMap((error) => problemsOf(error, '')),
    );
  return instance;
}

function problemsOf(error: ValidationError, parent: string): Problem[] {
  const path = pathOf(error.property, parent);
  const own = Object.values(error.constraints ?? {}).map((message) => ({ path, message: withoutName(message, error.property) }));
  return [...own, ...(error.children ?? []).flatMap((child) => problemsOf(child, path))];
}

function pathOf(property: string, parent: string): string {
  if (/^\d+$/.test(property)) return `${parent}[${property}]`;
  return parent === '' ? property : `${parent}.${property}`;
}

/** The library's sentences begin with the property's name, and so do ours. */
function withoutName(message: string, property: string): string {
  const opening = [`property ${property} `, `${property} `].find((start) => message.startsWith(start)) ?? '';
  return message.slice(opening.length);
}

function isPlainObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

function describe(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? `a ${value.constructor.name}` : typeof value;
}
