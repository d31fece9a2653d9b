import { withDiscriminator } from './discriminator.ts';
import { withOneNameEach } from './schema-names.ts';

type Json = Readonly<Record<string, unknown>>;

/**
 * Returns an OpenAPI document in a form that generators of clients understand and people can read. Accepts and returns the same
 * values as before.
 */
export const forGenerators = <Document extends object>(document: Document): Document => {
  const named = withOneNameEach(document);
  const { schemas } = (named as { components: { schemas: Readonly<Record<string, Json>> } }).components;
  return rewritten(named, (schema) => withDiscriminator(simplified(schema), schemas)) as Document;
};

/** Applies `rewrite` to every object of a JSON value, the innermost first. */
const rewritten = (value: unknown, rewrite: (object: Json) => Json): unknown => {
  if (Array.isArray(value)) return value.map((item) => rewritten(item, rewrite));
  if (typeof value !== 'object' || value === null) return value;
  return rewrite(
    Object.fromEntries(Object.entries(value).map(([key, item]) => [key, rewritten(item, rewrite)])),
  );
};

const simplified = (schema: Json): Json => withoutNever(withoutDatePattern(schema));

/** The format of a day or an instant says what zod's long pattern repeats. */
const withoutDatePattern = (schema: Json): Json => {
  if (schema['format'] !== 'date' && schema['format'] !== 'date-time') return schema;
  const { pattern: _, ...others } = schema;
  return others;
};

/** Leaves out fields that no value fits. A route lists them only to name them in an error. */
const withoutNever = (schema: Json): Json => {
  const { properties } = schema;
  if (typeof properties !== 'object' || properties === null) return schema;
  const isNever = (field: unknown): boolean => JSON.stringify(field) === '{"not":{}}';
  return {
    ...schema,
    properties: Object.fromEntries(Object.entries(properties).filter(([, field]) => !isNever(field))),
  };
};
