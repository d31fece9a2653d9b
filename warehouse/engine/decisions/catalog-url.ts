/** Matches `keyword = value` of a libpq connection string. A quoted value may hold blanks, and a backslash keeps what follows. */
const SETTING = /(\w+)\s*=\s*(?:'((?:[^'\\]|\\[^])*)'|((?:[^\s'\\]|\\[^])*))/g;

/**
 * Returns a libpq connection string as the URL that the Postgres client takes. DuckDB takes both spellings: `host=db dbname=lake`,
 * and `postgresql://db/lake`. TLS means the same in both.
 */
export const catalogUrl = (catalog: string): string => {
  const url = /^postgres(ql)?:\/\//.test(catalog) ? new URL(catalog) : urlOf(catalog);
  url.searchParams.set('uselibpqcompat', 'true');
  return url.href;
};

const urlOf = (text: string): URL => {
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
};
