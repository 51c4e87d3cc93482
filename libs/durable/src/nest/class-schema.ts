import { defaultMetadataStorage } from 'class-transformer/cjs/storage.js';
import { targetConstructorToSchema, validationMetadatasToSchemas } from 'class-validator-jsonschema';

type Schema = Record<string, unknown>;

const DEFINITIONS = '#/$defs/';
const options = { classTransformerMetadataStorage: defaultMetadataStorage, refPointerPrefix: DEFINITIONS };

/** JSON Schema 2020-12 of a class-validator class, with the classes it refers to, and closed: the parser refuses unknown properties. */
export function schemaOfClass(type: new () => unknown): Schema {
  const root = closed(targetConstructorToSchema(type, options) as Schema);
  const definitions = reachable(root, validationMetadatasToSchemas(options) as unknown as Record<string, Schema>);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: type.name,
    ...root,
    ...(Object.keys(definitions).length > 0 ? { $defs: definitions } : {}),
  };
}

/** Only what the root leads to: the library answers every class of the process. */
function reachable(root: Schema, all: Readonly<Record<string, Schema>>): Record<string, Schema> {
  const found: Record<string, Schema> = {};
  const visit = (value: unknown): void => {
    for (const name of referencesIn(value)) {
      const definition = all[name];
      if (definition === undefined || found[name] !== undefined) continue;
      found[name] = closed(definition);
      visit(definition);
    }
  };
  visit(root);
  return found;
}

function referencesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(referencesIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, child]) =>
    key === '$ref' && typeof child === 'string' && child.startsWith(DEFINITIONS) ? [child.slice(DEFINITIONS.length)] : referencesIn(child),
  );
}

function closed(schema: Schema): Schema {
  return schema['type'] === 'object' ? { ...schema, additionalProperties: false } : schema;
}
