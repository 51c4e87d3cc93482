import { validateSync, ValidateBy, ValidateIf, type ValidationError } from 'class-validator';
import { durationMs, identifierFault, type Problem } from '@millrace/durable';
import { rulesOf } from './dto-rules.js';
import { invalidRequest } from './problem.js';

/** A class of a body or a query whose fields carry class-validator's decorators. */
export type DtoClass<T extends object> = new () => T;

/**
 * A checked copy of a value from outside. Nothing is converted; fields that the class does not know are refused, also those
 * that hide behind a prototype (`__proto__`, `constructor`). Values of fields are taken over as they are.
 *
 * @param what names the value in the error: 'body', 'query'
 * @throws HttpProblem 400 naming every fault
 */
export function toDto<T extends object>(Dto: DtoClass<T>, value: unknown, what: string): T {
  // A query has no prototype of its own to speak of, so the test is for what must not pass: lists, texts, numbers.
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidRequest(what, [{ path: what, message: 'must be a JSON object' }]);
  }
  const rules = rulesOf(Dto);
  const dto = new Dto();
  for (const field of rules.fields) if (Object.hasOwn(value, field)) Reflect.set(dto, field, Reflect.get(value, field));
  const problems = [...unknownFields(value, rules.fields), ...(rules.accepts(dto) ? [] : fieldFaults(dto))];
  if (problems.length > 0) throw invalidRequest(what, problems);
  return dto;
}

/** The field may be left out. Unlike class-validator's own, `null` is not left out. */
export const Optional = (): PropertyDecorator => ValidateIf((_dto, value) => value !== undefined);

/** A text that is an identifier of the service. */
export const IsIdentifier = (): PropertyDecorator => rule('isIdentifier', (value) => identifierFault(value));

/** A text of a plain decimal number within bounds, as in a query. */
export function IsWholeNumberText(min: number, max: number): PropertyDecorator {
  const message = `must be a whole number from ${min} to ${max}`;
  return rule('isWholeNumberText', (value) => (isWholeNumberText(value, min, max) ? null : message));
}

/** A text of a duration of at most `maxMs`, with its unit. */
export function IsDurationText(maxMs: number, longest: string): PropertyDecorator {
  const message = `must be a duration such as 500ms or 30s, at most ${longest}`;
  return rule('isDurationText', (value) =>
    typeof value === 'string' && (durationMs(value) ?? Number.POSITIVE_INFINITY) <= maxMs ? null : message,
  );
}

/** A text of an instant in RFC 3339, with `Z` or an offset. */
export const IsInstantText = (): PropertyDecorator =>
  rule('isInstantText', (value) => (isInstantText(value) ? null : 'must be an instant such as 2027-01-15T08:00:00Z'));

function rule(name: string, faultOf: (value: unknown) => string | null): PropertyDecorator {
  return ValidateBy({
    name,
    validator: { validate: (value: unknown) => faultOf(value) === null, defaultMessage: (args) => faultOf(args?.value) ?? 'is not valid' },
  });
}

function isWholeNumberText(value: unknown, min: number, max: number): boolean {
  return typeof value === 'string' && /^\d{1,15}$/.test(value) && Number(value) >= min && Number(value) <= max;
}

function isInstantText(value: unknown): boolean {
  return (
    typeof value === 'string' &&
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?(?:Z|[+-]\d\d:\d\d)$/.test(value) &&
    !Number.isNaN(Date.parse(value))
  );
}

function unknownFields(value: object, known: ReadonlySet<string>): Problem[] {
  return Object.keys(value)
    .filter((key) => !known.has(key))
    .map((key) => ({ path: key.slice(0, 60), message: 'is not known here' }));
}

function fieldFaults(dto: object): Problem[] {
  return validateSync(dto, { whitelist: true, forbidNonWhitelisted: true, forbidUnknownValues: true }).flatMap(faultsOf);
}

function faultsOf({ property, constraints }: ValidationError): Problem[] {
  const messages = Object.values(constraints ?? { invalid: 'is not valid' });
  // class-validator's own messages begin with the field's name; ours do not.
  return messages.map((message) => ({
    path: property,
    message: message.startsWith(`${property} `) ? message.slice(property.length + 1) : message,
  }));
}
