import type { ArgumentMetadata, PipeTransform } from '@nestjs/common';
import { type DtoClass, toDto } from './dto.js';

const natives: ReadonlySet<unknown> = new Set([Object, String, Number, Boolean, Array]);

/** Checks every body and query whose parameter is declared as a class. See {@link toDto}. */
export class DtoPipe implements PipeTransform {
  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    if ((type !== 'body' && type !== 'query') || metatype === undefined || natives.has(metatype)) return value;
    // A request without a body is an empty one; what is missing is then named field by field.
    return toDto(metatype as DtoClass<object>, value === undefined ? {} : value, type);
  }
}
