/** Parameters that every run gives to the query: its first and its last day, both inclusive (docs/concepts.md#daily-imports). */
export const RUN_PARAMETERS = ['start', 'end'] as const;

/**
 * Matches what may contain an `@` that is no parameter: texts, quoted names, comments and system variables. The last alternative
 * matches a parameter. An unclosed text or comment extends to the end, because otherwise each of its characters would start
 * another search.
 */
const TOKEN = new RegExp(
  [
    String.raw`"""(?:\\[^]|[^\\])*?(?:"""|$)`,
    String.raw`'''(?:\\[^]|[^\\])*?(?:'''|$)`,
    String.raw`"(?:\\[^]|[^"\\\n])*"?`,
    String.raw`'(?:\\[^]|[^'\\\n])*'?`,
    '`(?:\\\\[^]|[^`\\\\])*`?',
    String.raw`(?:--|#)[^\n]*`,
    String.raw`/\*[^]*?(?:\*/|$)`,
    String.raw`@@\w*`,
    '@\\s*(?:`([^`]*)`|([a-z_]\\w*))',
  ].join('|'),
  'gi',
);

/**
 * Returns the names of the parameters that a GoogleSQL query uses, each once and in lower case, because BigQuery ignores their
 * case. It skips comments and texts. BigQuery accepts a parameter that a query does not use, so its dry run cannot tell.
 */
export function parametersOf(query: string): string[] {
  const names = new Set<string>();
  for (const [, quoted, plain] of query.matchAll(TOKEN)) {
    const name = quoted ?? plain;
    if (name !== undefined) names.add(name.toLowerCase());
  }
  return [...names];
}
