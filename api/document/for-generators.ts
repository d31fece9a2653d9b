import { withDiscriminator } from './discriminator.ts';
import { withOneNameEach } from './schema-names.ts';

type Json = Readonly<Record<string, unknown>>;

/**
 * Returns an OpenAPI document in a form that generators of clients understand and people can read. Accepts and returns the same
 * values as before.
 */
export function forGenerators<Document extends object>(document: Document): Document {
  const named = withOneNameEach(document);
  const { schemas } = (named as { components: { schemas: Readonly<Record<string, Json>> } }).components;
  return rewritten(named, (schema) => withDiscriminator(simplified(schema), schemas)) as Document;
}

/** Applies `rewrite` to every object of a JSON value, the innermost first. */
function rewritten(value: unknown, rewrite: (object: Json) => Json): unknown {
  if (Array.isArray(value)) return value.map((item) => rewritten(item, rewrite));
  if (typeof value !== 'object' || value === null) return value;
  return rewrite(
    Object.fromEntries(Object.entries(value).map(([key, item]) => [key, rewritten(item, rewrite)])),
  );
}

const simplified = (schema: Json): Json =>
  withSingleTypes(withDoubles(withoutNever(withoutDatePattern(schema))));

/** Money needs a double. Without a format, some generators take a number of 32 bits. */
const withDoubles = (schema: Json): Json =>
  [schema['type']].flat().includes('number') && schema['format'] === undefined
    ? { ...schema, format: 'double' }
    : schema;

/** Generators know a type that can be null, but not a list of several other types. */
function withSingleTypes(schema: Json): Json {
  const { type, format: _, ...others } = schema;
  if (!Array.isArray(type)) return schema;
  const [first, ...more] = type.filter((one) => one !== 'null') as string[];
  if (first === undefined || more.length === 0) return schema;
  const single = (one: string): Json => withDoubles({ type: one });
  const nullable = type.includes('null') ? { ...single(first), type: [first, 'null'] } : single(first);
  return { ...others, anyOf: [nullable, ...more.map(single)] };
}

/** The format of a day or an instant says what zod's long pattern repeats. */
function withoutDatePattern(schema: Json): Json {
  if (schema['format'] !== 'date' && schema['format'] !== 'date-time') return schema;
  const { pattern: _, ...others } = schema;
  return others;
}

/** Leaves out fields that no value fits. A route lists them only to name them in an error. */
function withoutNever(schema: Json): Json {
  const { properties } = schema;
  if (typeof properties !== 'object' || properties === null) return schema;
  const isNever = (field: unknown): boolean => JSON.stringify(field) === '{"not":{}}';
  return {
    ...schema,
    properties: Object.fromEntries(Object.entries(properties).filter(([, field]) => !isNever(field))),
  };
}
