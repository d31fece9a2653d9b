type Json = Readonly<Record<string, unknown>>;

interface Variant {
  properties?: Readonly<Record<string, { const?: unknown; enum?: readonly unknown[] }>>;
}

/** Returns a union of named schemas with the field whose value tells them apart, if there is one. */
export function withDiscriminator(schema: Json, schemas: Readonly<Record<string, Variant>>): Json {
  const oneOf: unknown = schema['oneOf'];
  if (!Array.isArray(oneOf)) return schema;
  const references = (oneOf as readonly { $ref?: string }[]).map(({ $ref = '' }) => $ref);
  const variants = references.map((reference) => schemas[reference.split('/').at(-1) ?? '']);
  const propertyName = Object.keys(variants[0]?.properties ?? {}).find((field) => {
    const values = variants.map((variant) => onlyValue(variant, field));
    return values.every((value) => value !== undefined) && new Set(values).size === values.length;
  });
  if (propertyName === undefined) return schema;
  const mapping = Object.fromEntries(
    variants.map((variant, index) => [onlyValue(variant, propertyName) ?? '', references[index]]),
  );
  return { ...schema, discriminator: { propertyName, mapping } };
}

/** Returns the only value that a field of a variant can have. */
function onlyValue(variant: Variant | undefined, field: string): string | undefined {
  const property = variant?.properties?.[field];
  const [value, ...others] = property?.enum ?? [property?.const];
  return others.length === 0 && typeof value === 'string' ? value : undefined;
}
