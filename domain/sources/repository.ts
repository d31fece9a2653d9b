import { normalText } from '../shared/text/normal-text.ts';

/**
 * The steps that normalise a repository's spelling to `host/owner/name` (docs/data-formats.md#ai-coding-tools), in order.
 * JavaScript and DuckDB read the patterns alike, so that a pick matches the usage feed (warehouse/sources/repository-sql.ts).
 */
export const REPOSITORY_STEPS: readonly { pattern: string; replacement: string }[] = [
  { pattern: '^[ \\t\\r\\n]+|[ \\t\\r\\n]+$', replacement: '' },
  // https://user@host:8443/owner/name. Only a URL has a port: git@host:owner/name has none.
  { pattern: '^[a-z][a-z0-9+.-]*://([^/@]*@)?([^/:]*)(:[0-9]+)?', replacement: '$2' },
  { pattern: '^[^/@]*@', replacement: '' },
  // git@host:owner/name
  { pattern: '^([^/:]+):', replacement: '$1/' },
  { pattern: '/+', replacement: '/' },
  { pattern: '^/|/$', replacement: '' },
  { pattern: '[.]git$', replacement: '' },
];

/**
 * Returns a repository in the form for comparison: `host/owner/name` in lower case, without scheme, user, port, `.git` or a slash
 * at either end. An empty result is not a repository.
 */
export const normalRepository = (text: string): string =>
  REPOSITORY_STEPS.reduce(
    (name, { pattern, replacement }) => name.replace(new RegExp(pattern, 'g'), replacement),
    // Hosts and owners are ASCII. Other letters stay, because languages do not agree on their lower case.
    normalText(text).replace(/[A-Z]/g, (letter) => letter.toLowerCase()),
  );
