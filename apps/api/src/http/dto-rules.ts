import { getMetadataStorage, type ValidationArguments, ValidationTypes } from 'class-validator';

type Decorator = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>[number];
type Test = (value: unknown, dto: object) => boolean;

interface FieldRules {
  readonly field: string;
  /** Unless all hold, the field is not looked at: it may be left out, and is. */
  readonly conditions: readonly Test[];
  readonly checks: readonly Test[];
}

/** What the decorators of a class say, read once: class-validator collects and sorts them anew for every value. */
export interface DtoRules {
  readonly fields: ReadonlySet<string>;
  /** True when class-validator finds no fault. When false it is asked: only it knows what a fault is called. */
  accepts(dto: object): boolean;
}

const rulesOfClass = new WeakMap<object, DtoRules>();

/** The rules of a class of which every decorator has been applied. */
export function rulesOf(Dto: new () => object): DtoRules {
  let rules = rulesOfClass.get(Dto);
  if (rules === undefined) rulesOfClass.set(Dto, (rules = readRules(Dto)));
  return rules;
}

function readRules(Dto: new () => object): DtoRules {
  const decorators = getMetadataStorage().getTargetValidationMetadatas(Dto, '', false, false);
  const fields = new Set(decorators.map(({ propertyName }) => propertyName));
  const isUnderstood = decorators.every(isPlain);
  const rules = [...fields].map((field) => fieldRules(field, decorators, Dto.name));
  return { fields, accepts: (dto) => isUnderstood && rules.every((rule) => isFaultless(dto, rule)) };
}

/** What is tested here as class-validator does it; of all else (nested classes, promises, each item of a list) it judges alone. */
function isPlain({ type, each, validateIf, constraintCls }: Decorator): boolean {
  if (type === ValidationTypes.WHITELIST || type === ValidationTypes.CONDITIONAL_VALIDATION) return true;
  if (type !== ValidationTypes.CUSTOM_VALIDATION || each || validateIf !== undefined) return false;
  return getMetadataStorage()
    .getTargetValidatorConstraints(constraintCls)
    .every((constraint) => !constraint.async);
}

function fieldRules(field: string, decorators: readonly Decorator[], targetName: string): FieldRules {
  const ofType = (wanted: string) => decorators.filter(({ propertyName, type }) => propertyName === field && type === wanted);
  return {
    field,
    conditions: ofType(ValidationTypes.CONDITIONAL_VALIDATION).map(({ constraints }) => conditionOf(constraints)),
    checks: ofType(ValidationTypes.CUSTOM_VALIDATION).flatMap((decorator) => checksOf(decorator, targetName)),
  };
}

function conditionOf([holds]: readonly unknown[]): Test {
  return (value, dto) => Boolean((holds as (dto: object, value: unknown) => unknown)(dto, value));
}

function checksOf({ propertyName: property, constraints, constraintCls }: Decorator, targetName: string): Test[] {
  const instances = getMetadataStorage()
    .getTargetValidatorConstraints(constraintCls)
    .map(({ instance }) => instance);
  return instances.map((instance) => (value, object) => {
    const args: ValidationArguments = { targetName, property, object, value, constraints };
    return instance.validate(value, args) === true;
  });
}

function isFaultless(dto: object, { field, conditions, checks }: FieldRules): boolean {
  const value: unknown = Reflect.get(dto, field);
  return !conditions.every((holds) => holds(value, dto)) || checks.every((passes) => passes(value, dto));
}
