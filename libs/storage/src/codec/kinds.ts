import { types } from 'node:util';

/*
 * What a value is, told without `instanceof` where that can be: values of another realm (a vm context, a structured
 * clone) are the same kinds.
 */

/** An object literal, or what `JSON.parse` makes. */
export function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype) return true;
  return (
    typeof prototype === 'object' &&
    prototype !== null &&
    Object.getPrototypeOf(prototype) === null &&
    Object.hasOwn(prototype, 'isPrototypeOf')
  );
}

/** True when the value's class is the built-in of this name, not one derived from it. */
export function isExactly(value: object, className: string): boolean {
  return classNameOf(value) === className;
}

/** Name of the value's class; '' when it has none. */
export function classNameOf(value: object): string {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (typeof prototype !== 'object' || prototype === null) return '';
  const { constructor } = prototype;
  return typeof constructor === 'function' ? constructor.name : '';
}

/** Also what is only derived from `Error` (DOMException, classes made by hand). */
export function isError(value: object): value is Error {
  return types.isNativeError(value) || builtInErrorAbove(value) !== null;
}

const errorTypes = new Map<string, ErrorConstructor>(
  [Error, TypeError, RangeError, SyntaxError, ReferenceError, EvalError, URIError].map((type) => [type.name, type]),
);

/** Name of the built-in error class that the error is, or is derived from. */
export function errorTypeOf(error: Error): string {
  return builtInErrorAbove(error) ?? 'Error';
}

function builtInErrorAbove(value: object): string | null {
  for (
    let prototype: unknown = Object.getPrototypeOf(value);
    typeof prototype === 'object' && prototype !== null;
    prototype = Object.getPrototypeOf(prototype)
  ) {
    const { constructor } = prototype;
    if (typeof constructor === 'function' && (errorTypes.has(constructor.name) || constructor.name === 'AggregateError'))
      return constructor.name;
  }
  return null;
}

/** A new error of a built-in class without any own property; null when there is no such class. */
export function bareError(type: string): Error | null {
  const constructor = errorTypes.get(type);
  const error = type === 'AggregateError' ? new AggregateError([]) : constructor === undefined ? null : new constructor();
  if (error !== null) for (const key of Reflect.ownKeys(error)) Reflect.deleteProperty(error, key);
  return error;
}
