/**
 * The steps that bring a repository's many spellings to `host/owner/name` (sources §4), in order. They are patterns
 * that JavaScript and DuckDB read alike, so that a pick and the usage feed meet (warehouse/repository-sql.ts).
 */
export const REPOSITORY_STEPS: readonly { pattern: string; replacement: string }[] = [
  { pattern: '^[ \\t\\r\\n]+|[ \\t\\r\\n]+$', replacement: '' },
  // https://user@host:8443/owner/name; only a URL has a port, see the next step but one.
  { pattern: '^[a-z][a-z0-9+.-]*://([^/@]*@)?([^/:]*)(:[0-9]+)?', replacement: '$2' },
  { pattern: '^[^/@]*@', replacement: '' },
  // git@host:owner/name
  { pattern: '^([^/:]+):', replacement: '$1/' },
  { pattern: '/+', replacement: '/' },
  { pattern: '^/|/$', replacement: '' },
  { pattern: '[.]git$', replacement: '' },
];

/**
 * A repository as it is compared: `host/owner/name` in lower case, without scheme, user, port, `.git` or a slash at
 * either end. An empty text is no repository.
 */
export const normalRepository = (text: string): string =>
  REPOSITORY_STEPS.reduce(
    (name, { pattern, replacement }) => name.replace(new RegExp(pattern, 'g'), replacement),
    // Hosts and owners are ASCII; other letters stay, for no two languages agree on their lower case.
    text.replace(/[A-Z]/g, (letter) => letter.toLowerCase()),
  );
