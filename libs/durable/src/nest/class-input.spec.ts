import { describe, expect, it } from '@jest/globals';
import { Type } from 'class-transformer';
import { ArrayNotEmpty, IsEmail, IsInt, IsOptional, IsString, Min, ValidateNested } from 'class-validator';
import { InvalidInput } from '../core/errors.js';
import { classInput } from './class-input.js';

class Line {
  @IsString() sku!: string;
  @IsInt() @Min(1) count!: number;
}

class Order {
  @IsEmail() customer!: string;
  @ArrayNotEmpty() @ValidateNested({ each: true }) @Type(() => Line) lines!: Line[];
  @IsOptional() @IsString() note?: string;
}

const good = { customer: 'a@example.org', lines: [{ sku: 's', count: 2 }] };

function problemsOf(input: unknown): string[] {
  try {
    classInput(Order).parse(input);
  } catch (error) {
    if (error instanceof InvalidInput) return error.details.problems.map(({ path, message }) => `${path} ${message}`);
    throw error;
  }
  return [];
}

describe('classInput', () => {
  it('makes instances, nested ones too', () => {
    const order = classInput(Order).parse(good);
    expect(order).toBeInstanceOf(Order);
    expect(order.lines[0]).toBeInstanceOf(Line);
    expect(order).toEqual(good);
  });

  it('names every faulty field by its path', () => {
    expect(problemsOf({ customer: 'nobody', lines: [{ sku: 's', count: 0 }, { count: 1 }] })).toEqual([
      'customer must be an email',
      'lines[0].count must not be less than 1',
      'lines[1].sku must be a string',
    ]);
  });

  it('refuses properties that the class does not have', () => {
    expect(problemsOf({ ...good, extra: 1, lines: [{ sku: 's', count: 1, more: 2 }] })).toEqual([
      'extra should not exist',
      'lines[0].more should not exist',
    ]);
  });

  it.each([
    ['an array', [good]],
    ['null', null],
    ['text', 'x'],
    ['a number', 1],
    ['nothing', undefined],
    ['an instance of another class', new Map()],
  ])('refuses %s', (_, input) => {
    expect(problemsOf(input)).toEqual([expect.stringMatching(/^\$ must be an object, not /)]);
  });

  it('does not let a JSON text reach the prototype', () => {
    const input = JSON.parse('{"customer":"a@example.org","lines":[{"sku":"s","count":1}],"__proto__":{"polluted":true}}') as unknown;
    problemsOf(input);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('refuses a class that checks nothing', () => {
    class Empty {}
    expect(() => classInput(Empty)).toThrow(InvalidInput);
  });

  it('describes the class as a closed JSON Schema with what it refers to, and nothing else', () => {
    class Unrelated {
      @IsString() other!: string;
    }
    expect(Unrelated).toBeDefined();
    expect(classInput(Order).schema).toEqual({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      title: 'Order',
      type: 'object',
      additionalProperties: false,
      required: ['customer', 'lines'],
      properties: {
        customer: { type: 'string', format: 'email' },
        lines: { type: 'array', minItems: 1, items: { $ref: '#/$defs/Line' } },
        note: { type: 'string' },
      },
      $defs: {
        Line: {
          type: 'object',
          additionalProperties: false,
          required: ['sku', 'count'],
          properties: { sku: { type: 'string' }, count: { type: 'integer', minimum: 1 } },
        },
      },
    });
  });
});
