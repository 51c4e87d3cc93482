import { describe, expect, it } from '@jest/globals';
import { IsInt, IsOptional, Min, validateSync, ValidateNested } from 'class-validator';
import fc from 'fast-check';
import { ListRunsQuery, NoQuery, RunQuery } from '../runs/queries.dto.js';
import { BatchItemDto, SubmitBatchDto } from '../runs/submit.dto.js';
import { rulesOf } from './dto-rules.js';

class Line {
  @IsInt()
  amount!: number;
}

/** Decorators that only class-validator carries out. */
class Order {
  @ValidateNested()
  line!: Line;
}

class Counts {
  @IsInt({ each: true })
  counts!: number[];
}

/** A condition that is no boolean. */
class Loose {
  @IsOptional()
  @Min(3)
  size?: number | null;
}

const values = fc.oneof(
  fc.constantFrom<unknown>(
    undefined,
    null,
    'order-1',
    'a b',
    '',
    '30s',
    '1h',
    '7',
    'failed',
    '2027-01-15T08:00:00Z',
    0,
    1,
    1.5,
    -0,
    1e9,
    1e99,
  ),
  fc.string(),
  fc.jsonValue(),
  fc.array(fc.integer(), { maxLength: 3 }),
);

describe('the rules of a class', () => {
  it.each([BatchItemDto, SubmitBatchDto, ListRunsQuery, RunQuery, Loose, Line])('accept what class-validator accepts: %p', (Dto) => {
    const rules = rulesOf(Dto);
    const record = fc.record(Object.fromEntries([...rules.fields].map((field) => [field, values])), { requiredKeys: [] });
    fc.assert(
      fc.property(record, (value) => {
        const dto = Object.assign(new Dto(), value);
        expect(rules.accepts(dto)).toBe(validateSync(dto).length === 0);
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    [Order, { line: Object.assign(new Line(), { amount: 1 }) }],
    [Counts, { counts: [1, 2] }],
  ])('leave to class-validator what they do not know: %p', (Dto, value) => {
    const dto = Object.assign(new Dto(), value);
    expect(validateSync(dto)).toEqual([]);
    expect(rulesOf(Dto).accepts(dto)).toBe(false);
  });

  it('accept a class without fields, and are read once', () => {
    expect(rulesOf(NoQuery).accepts(new NoQuery())).toBe(true);
    expect(rulesOf(NoQuery)).toBe(rulesOf(NoQuery));
  });
});
