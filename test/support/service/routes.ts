/** Who may call a route with a key: any key, R, W, A, or a key that may send values, as JSON or as CSV, or usage. */
export type Who = 'any' | 'R' | 'W' | 'A' | 'values' | 'files' | 'usage';

/** A route under /api/v1. `{id}` and `{month}` are parameters. */
export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  who: Who;
  /** Needs Professional or above. */
  unitEconomics?: true;
  /** Its statuses beside those of every route: 404, 409, and those of a body. */
  notFound?: true;
  conflict?: true;
  body?: true;
  /** The type of its body, if it is not JSON. */
  contentType?: 'text/csv' | 'application/octet-stream';
  /** A query that it requires. */
  query?: string;
  paged?: true;
  /** Returns rows as a file instead of JSON. Then tests leave out its required query. */
  file?: true;
  /** The fields of its answer beside `success` and `data`. */
  beside?: readonly string[];
  /** The fields of an answer without an envelope. */
  bare?: readonly string[];
}

/** Every route of the service under /api/v1 that takes a key or a session. */
export const ROUTES: readonly Route[] = [
  { method: 'GET', path: '/health', who: 'any' },
  { method: 'GET', path: '/auth/info', who: 'any' },
  { method: 'GET', path: '/organisation', who: 'R' },
  { method: 'PATCH', path: '/organisation', who: 'A', body: true },
  { method: 'GET', path: '/keys', who: 'A', paged: true },
  { method: 'POST', path: '/keys', who: 'A', body: true },
  { method: 'DELETE', path: '/keys/{id}', who: 'A', notFound: true, conflict: true },
  { method: 'GET', path: '/cost-sources', who: 'R', paged: true },
  { method: 'POST', path: '/cost-sources', who: 'A', conflict: true, body: true },
  { method: 'GET', path: '/cost-sources/{id}', who: 'R', notFound: true },
  { method: 'PATCH', path: '/cost-sources/{id}', who: 'A', notFound: true, conflict: true, body: true },
  { method: 'DELETE', path: '/cost-sources/{id}', who: 'A', notFound: true },
  { method: 'PUT', path: '/cost-sources/{id}/credentials', who: 'A', notFound: true, body: true },
  { method: 'DELETE', path: '/cost-sources/{id}/credentials', who: 'A', notFound: true },
  { method: 'POST', path: '/cost-sources/{id}/ingest', who: 'W', notFound: true, conflict: true, body: true },
  { method: 'GET', path: '/cost-sources/{id}/runs', who: 'R', notFound: true, paged: true },
  { method: 'POST', path: '/cost-sources/check', who: 'A', body: true },
  { method: 'GET', path: '/cost-sources/{id}/units', who: 'R', notFound: true },
  { method: 'POST', path: '/cost-sources/{id}/units/end', who: 'A', notFound: true, body: true },
  { method: 'POST', path: '/cost-sources/{id}/units/confirm', who: 'A', notFound: true, body: true },
  { method: 'GET', path: '/cost-sources/{id}/files', who: 'R', notFound: true },
  {
    method: 'PUT',
    path: '/cost-sources/{id}/files/{name}',
    who: 'A',
    notFound: true,
    conflict: true,
    body: true,
    contentType: 'application/octet-stream',
  },
  { method: 'DELETE', path: '/cost-sources/{id}/files/{name}', who: 'A', notFound: true },
  {
    method: 'POST',
    path: '/otlp/v1/metrics',
    who: 'usage',
    query: '?source={id}',
    notFound: true,
    body: true,
    bare: ['partialSuccess'],
  },
  { method: 'GET', path: '/costs', who: 'R', query: '?start_date=2026-01-01&end_date=2026-01-31' },
  {
    method: 'GET',
    path: '/costs/breakdown',
    who: 'R',
    query: '?start_date=2026-01-01&end_date=2026-01-31&group_by=day',
    beside: ['complete_through', 'next_cursor', 'reconciliation', 'total'],
  },
  { method: 'GET', path: '/spend/options', who: 'R', paged: true },
  { method: 'POST', path: '/spend/preview', who: 'R', body: true },
  { method: 'GET', path: '/metrics', who: 'R', unitEconomics: true, paged: true },
  { method: 'POST', path: '/metrics', who: 'A', unitEconomics: true, conflict: true, body: true },
  { method: 'GET', path: '/metrics/{id}', who: 'R', unitEconomics: true, notFound: true },
  {
    method: 'PATCH',
    path: '/metrics/{id}',
    who: 'A',
    unitEconomics: true,
    notFound: true,
    conflict: true,
    body: true,
  },
  { method: 'DELETE', path: '/metrics/{id}', who: 'A', unitEconomics: true, notFound: true, conflict: true },
  {
    method: 'POST',
    path: '/metrics/{id}/values',
    who: 'values',
    unitEconomics: true,
    notFound: true,
    body: true,
  },
  {
    method: 'DELETE',
    path: '/metrics/{id}/values',
    who: 'A',
    unitEconomics: true,
    notFound: true,
    query: '?period=2026-01-31',
  },
  {
    method: 'PUT',
    path: '/metrics/{id}/values/{period}',
    who: 'A',
    unitEconomics: true,
    notFound: true,
    body: true,
  },
  {
    method: 'POST',
    path: '/metrics/{id}/values/csv',
    who: 'files',
    unitEconomics: true,
    notFound: true,
    body: true,
    contentType: 'text/csv',
  },
  { method: 'GET', path: '/metrics/{id}/values', who: 'R', unitEconomics: true, notFound: true, paged: true },
  {
    method: 'GET',
    path: '/metrics/{id}/history',
    who: 'R',
    unitEconomics: true,
    notFound: true,
    paged: true,
  },
  { method: 'GET', path: '/metrics/{id}/months', who: 'R', unitEconomics: true, notFound: true, paged: true },
  {
    method: 'POST',
    path: '/metrics/{id}/months/{month}/lock',
    who: 'A',
    unitEconomics: true,
    notFound: true,
    conflict: true,
    body: true,
  },
  {
    method: 'GET',
    path: '/metrics/{id}/months/{month}/versions',
    who: 'R',
    unitEconomics: true,
    notFound: true,
  },
  { method: 'GET', path: '/metrics/{id}/import', who: 'A', unitEconomics: true, notFound: true },
  { method: 'PUT', path: '/metrics/{id}/import', who: 'A', unitEconomics: true, notFound: true, body: true },
  { method: 'DELETE', path: '/metrics/{id}/import', who: 'A', unitEconomics: true, notFound: true },
  {
    method: 'POST',
    path: '/metrics/{id}/import/check',
    who: 'A',
    unitEconomics: true,
    notFound: true,
    body: true,
  },
  {
    method: 'POST',
    path: '/metrics/{id}/import/run',
    who: 'A',
    unitEconomics: true,
    notFound: true,
    conflict: true,
    body: true,
  },
  { method: 'GET', path: '/overview', who: 'R', unitEconomics: true },
  { method: 'GET', path: '/waiting', who: 'R' },
  { method: 'GET', path: '/teams', who: 'R', unitEconomics: true, paged: true },
  { method: 'POST', path: '/teams', who: 'A', unitEconomics: true, conflict: true, body: true },
  { method: 'GET', path: '/teams/{id}', who: 'R', unitEconomics: true, notFound: true },
  {
    method: 'PATCH',
    path: '/teams/{id}',
    who: 'A',
    unitEconomics: true,
    notFound: true,
    conflict: true,
    body: true,
  },
  { method: 'DELETE', path: '/teams/{id}', who: 'A', unitEconomics: true, notFound: true, conflict: true },
  {
    method: 'PUT',
    path: '/teams/{id}/ownership',
    who: 'A',
    unitEconomics: true,
    notFound: true,
    conflict: true,
    body: true,
  },
  { method: 'GET', path: '/teams/{id}/bills', who: 'R', unitEconomics: true, notFound: true, paged: true },
  {
    method: 'GET',
    path: '/teams/{id}/bills/{month}/versions',
    who: 'R',
    unitEconomics: true,
    notFound: true,
  },
  { method: 'GET', path: '/teams/bills', who: 'R', unitEconomics: true, paged: true },
  { method: 'GET', path: '/teams/bills/{month}', who: 'R', unitEconomics: true },
  {
    method: 'POST',
    path: '/teams/bills/{month}/reseal',
    who: 'A',
    unitEconomics: true,
    conflict: true,
    body: true,
  },
  { method: 'GET', path: '/shared-costs', who: 'R', unitEconomics: true, paged: true },
  { method: 'POST', path: '/shared-costs', who: 'A', unitEconomics: true, conflict: true, body: true },
  {
    method: 'PATCH',
    path: '/shared-costs/{id}',
    who: 'A',
    unitEconomics: true,
    notFound: true,
    conflict: true,
    body: true,
  },
  { method: 'DELETE', path: '/shared-costs/{id}', who: 'A', unitEconomics: true, notFound: true },
  { method: 'GET', path: '/export/months', who: 'R', unitEconomics: true, file: true },
  { method: 'GET', path: '/export/bills', who: 'R', unitEconomics: true, file: true },
  { method: 'GET', path: '/export/spend', who: 'R', file: true },
  { method: 'GET', path: '/export/values', who: 'R', unitEconomics: true, file: true },
  { method: 'GET', path: '/webhooks', who: 'A', paged: true },
  { method: 'POST', path: '/webhooks', who: 'A', body: true },
  { method: 'PATCH', path: '/webhooks/{id}', who: 'A', notFound: true, body: true },
  { method: 'DELETE', path: '/webhooks/{id}', who: 'A', notFound: true },
  {
    method: 'POST',
    path: '/webhooks/{id}/test',
    who: 'A',
    notFound: true,
    conflict: true,
  },
  {
    method: 'GET',
    path: '/webhooks/{id}/deliveries',
    who: 'A',
    notFound: true,
    paged: true,
  },
  { method: 'GET', path: '/audit-log', who: 'A', paged: true },
];

/** The routes of a session itself. Anyone may try to sign in, with a key in the body that R may use. */
export const SESSION_ROUTES: readonly (Omit<Route, 'who'> & { who: 'anyone' | 'session' })[] = [
  { method: 'POST', path: '/session', who: 'anyone', body: true },
  { method: 'GET', path: '/session', who: 'session' },
  { method: 'DELETE', path: '/session', who: 'session' },
];

/** The permissions that may call a route. */
export const ALLOWED: Record<Who, readonly string[]> = {
  any: ['read', 'write', 'admin', 'metrics:ingest', 'usage:ingest'],
  R: ['read', 'write', 'admin'],
  W: ['write', 'admin'],
  A: ['admin'],
  values: ['metrics:ingest', 'write', 'admin'],
  files: ['metrics:ingest', 'admin'],
  usage: ['usage:ingest', 'write', 'admin'],
};

/** Returns a route's path with its parameters filled in. */
export const pathOf = (
  { path, query = '' }: Pick<Route, 'path' | 'query'>,
  id: string,
  month = '2026-01',
): string =>
  (path + query)
    .replace('{id}', id)
    .replace('{month}', month)
    .replace('{period}', `${month}-31`)
    .replace('{name}', 'january.csv');

/** Returns the header with the type of a route's body. */
export const bodyType = ({
  contentType = 'application/json',
}: {
  contentType?: string;
}): Record<string, string> => ({
  'content-type': contentType,
});
