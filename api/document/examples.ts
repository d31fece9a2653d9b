import examples from './examples.json' with { type: 'json' };

type Media = Record<string, { example?: unknown }>;

interface Operation {
  operationId?: string;
  requestBody?: { content: Media };
  responses: Partial<Record<string, { content?: Media }>>;
}

const EXAMPLES: Readonly<Record<string, { body?: unknown; answer: unknown } | undefined>> = examples;

/** Adds to each route what a story sent to it and got from it (test/e2e/document). Files alone have an example as CSV only. */
export function withExamples<Document extends object>(document: Document): Document {
  const { paths } = document as unknown as { paths: Record<string, Record<string, Operation>> };
  for (const { operationId = '', requestBody, responses } of Object.values(paths).flatMap((methods) =>
    Object.values(methods),
  )) {
    const example = EXAMPLES[operationId];
    if (example === undefined) continue;
    for (const media of Object.values(requestBody?.content ?? {})) media.example = example.body;
    const { 'application/json': json, 'text/csv': csv } = responses[200]?.content ?? {};
    const shown = json ?? csv;
    if (shown !== undefined) shown.example = example.answer;
  }
  return document;
}
