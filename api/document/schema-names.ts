const REFERENCE = /"#\/components\/schemas\/([^"]+)"/g;

/**
 * Leaves out the schemas that no route refers to, and shortens names: the transform lists each schema twice, as `Metric` for
 * answers and as `MetricInput` for requests. Only a schema of both keeps both names.
 */
export function withOneNameEach<Document extends object>(document: Document): Document {
  const { components, ...routes } = document as { components: { schemas: Record<string, unknown> } };
  const used = new Set<string>();
  const visit = (value: unknown): void => {
    for (const [, name = ''] of JSON.stringify(value).matchAll(REFERENCE)) {
      if (used.has(name)) continue;
      used.add(name);
      visit(components.schemas[name]);
    }
  };
  visit(routes);
  const shortName = (name: string): string => {
    const short = name.replace(/Input$/, '');
    return used.has(short) ? name : short;
  };
  const schemas = Object.fromEntries(
    Object.entries(components.schemas)
      .filter(([name]) => used.has(name))
      .map(([name, schema]) => [shortName(name), schema]),
  );
  return JSON.parse(
    JSON.stringify({ ...routes, components: { ...components, schemas } }).replace(
      REFERENCE,
      (_, name: string) => `"#/components/schemas/${shortName(name)}"`,
    ),
  ) as Document;
}
