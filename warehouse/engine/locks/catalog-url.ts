/** Matches `keyword = value` of a libpq connection string. A quoted value may hold blanks, and a backslash keeps what follows. */
const SETTING = /(\w+)\s*=\s*(?:'((?:[^'\\]|\\[^])*)'|((?:[^\s'\\]|\\[^])*))/g;

const IS_URL = /^postgres(ql)?:\/\//;

/**
 * Returns a libpq connection string as the URL that the Postgres client takes. DuckDB takes both spellings: `host=db dbname=lake`,
 * and `postgresql://db/lake`. TLS means the same in both.
 */
export function catalogUrl(catalog: string): string {
  const url = IS_URL.test(catalog) ? new URL(catalog) : urlOf(catalog);
  url.searchParams.set('uselibpqcompat', 'true');
  return url.href;
}

/** Returns a connection string without its passwords, for a person who has them. It keeps its spelling. */
export function withoutSecrets(catalog: string): string {
  if (!IS_URL.test(catalog))
    return [...catalog.matchAll(SETTING)]
      .filter(([, keyword = '']) => !SECRETS.includes(keyword))
      .map(([setting]) => setting)
      .join(' ');
  const url = new URL(catalog);
  url.password = '';
  for (const secret of SECRETS) url.searchParams.delete(secret);
  return url.href;
}

const SECRETS: readonly string[] = ['password', 'sslpassword'];

function urlOf(text: string): URL {
  const settings = new Map(
    [...text.matchAll(SETTING)].map(([, keyword = '', quoted, bare]) => [
      keyword,
      (quoted ?? bare ?? '').replaceAll(/\\([^])/g, '$1'),
    ]),
  );
  const url = new URL('postgresql:///');
  url.pathname = `/${settings.get('dbname') ?? ''}`;
  settings.delete('dbname');
  for (const [keyword, value] of settings) url.searchParams.set(keyword, value);
  return url;
}
