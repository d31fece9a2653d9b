import { resolve } from 'node:path';
import { invalid } from '../../domain/shared/errors.ts';
import { tableOfLocation, type BillTableName } from '../../domain/sources/table-location.ts';
import { realPathUnder } from './local-files.ts';
import { resolveTarget } from '../requests/resolve-target.ts';
import { hasStep, refuseBucket } from './source-buckets.ts';
import type { SourceRules } from './source-rules.ts';

export { checkRealPaths } from './local-files.ts';

/** A location that may be read. `path` is absolute, with the links in its folders resolved; it may be a glob. */
export type SourceLocation =
  | { kind: 'local'; path: string }
  | { kind: 'http'; url: string }
  | { kind: 'bucket'; url: string }
  | ({ kind: 'bigquery' } & BillTableName);

const ACCEPTED =
  'a local path or glob, file://…, s3://bucket/key, gs://bucket/key, az://account/container/path, https://… or http://…';
const SCHEME = /^([a-z][a-z0-9+.-]*):/i;
/** A NUL ends a path early, and a line break ends a request line. */
const CONTROL = /\p{Cc}/u;
const GLOB = /[*?[]/;

/** Whether a location names files of the service's own machine. */
export const isLocal = (location: string): boolean =>
  [undefined, 'file'].includes(SCHEME.exec(location)?.[1]?.toLowerCase());

/**
 * Checks that the service may read `location` for a tenant. It checks the location only: {@link checkRealPaths} and
 * HeldFiles check the files of a local glob, and the proxy checks an HTTP redirect.
 *
 * @param field the name of the request's field. Every message begins with it.
 * @param rules those of the organisation; a relative path begins in the first of their folders.
 * @throws ServiceError `invalid`. It names SOURCE_ROOTS, SOURCE_BUCKETS or PRIVATE_TARGETS if one of them decides.
 */
export async function checkSourceLocation(
  location: string,
  rules: SourceRules,
  field = 'location',
): Promise<SourceLocation> {
  if (location === '') throw invalid(`${field}: must not be empty; expected ${ACCEPTED}`);
  refuseControls(location, field);
  const scheme = SCHEME.exec(location)?.[1]?.toLowerCase();
  switch (scheme) {
    case undefined:
      return local(location, rules, field);
    case 'file':
      return local(pathOfFileUrl(location, field), rules, field);
    case 's3':
    case 'gs':
    case 'az':
      return bucket(location, scheme, rules, field);
    case 'bigquery':
      return { kind: 'bigquery', ...tableOfLocation(location, field) };
    case 'http':
    case 'https':
      return http(location, rules, field);
    default:
      throw invalid(
        `${field}: the scheme ${JSON.stringify(`${scheme}:`)} is not supported; expected ${ACCEPTED}`,
      );
  }
}

/**
 * The absolute path that a `file:` URL names, decoded. The URL parser does not serve here: it takes the `?` of a glob
 * for the start of a query, and resolves `..` before anyone can refuse it.
 */
function pathOfFileUrl(location: string, field: string): string {
  const path = /^file:(?:\/\/(?:localhost)?)?(\/(?!\/).*)$/i.exec(location)?.[1];
  if (path === undefined) throw invalid(`${field}: a file URL must be file:///<absolute path>`);
  try {
    return decodeURIComponent(path);
  } catch {
    throw invalid(`${field}: the file URL has a malformed percent-encoding`);
  }
}

async function local(path: string, rules: SourceRules, field: string): Promise<SourceLocation> {
  refuseControls(path, field); // again: a file URL may have carried them encoded
  // DuckDB takes a backslash in a glob for a separator or an escape: `..` could hide behind it.
  if (path.includes('\\')) throw invalid(`${field}: a local path must not contain a backslash`);
  const segments = path.split('/');
  if (segments.includes('..')) throw invalid(`${field}: a local path must not contain ".."`);
  const firstGlob = segments.findIndex((segment) => GLOB.test(segment));
  // A relative path never begins in the folder where the service happens to run.
  const [start = '/'] = rules.roots;
  if (firstGlob === -1) {
    return { kind: 'local', path: await realPathUnder(resolve(start, path), rules.roots, field) };
  }
  const folder = await realPathUnder(
    resolve(start, segments.slice(0, firstGlob).join('/') || startOf(path)),
    rules.roots,
    field,
  );
  const glob = segments.slice(firstGlob).filter((segment) => segment !== '' && segment !== '.');
  return { kind: 'local', path: `${folder === '/' ? '' : folder}/${glob.join('/')}` };
}

function refuseControls(text: string, field: string): void {
  if (CONTROL.test(text)) throw invalid(`${field}: must not contain control characters`);
}

const startOf = (path: string): string => (path.startsWith('/') ? '/' : '.');

/** What follows the scheme. Its first parts become parts of a host name, so that they must not be able to change that name. */
const IN_BUCKET = {
  s3: { path: /^[a-z0-9][a-z0-9._-]{1,62}\//i, expected: 's3://bucket/key, where the key may be a glob' },
  gs: { path: /^[a-z0-9][a-z0-9._-]{1,220}\//i, expected: 'gs://bucket/key, where the key may be a glob' },
  az: {
    path: /^[a-z0-9]{3,24}\/(?:\$root|\$web|[a-z0-9][a-z0-9-]{1,62})\//,
    expected: 'az://account/container/path, where the path may be a glob',
  },
} as const;

function bucket(
  location: string,
  scheme: keyof typeof IN_BUCKET,
  rules: SourceRules,
  field: string,
): SourceLocation {
  const { path, expected } = IN_BUCKET[scheme];
  const url = `${scheme}://${location.slice(scheme.length + 3)}`;
  if (!location.slice(scheme.length).startsWith('://') || !path.test(url.slice(scheme.length + 3)))
    throw invalid(`${field}: must be ${expected}; end the name of a whole bucket or container in a slash`);
  // DuckDB reads what follows as settings: another endpoint, or credentials in clear text.
  if (url.includes('?'))
    throw invalid(`${field}: a ${scheme}:// location must not contain "?"; use * as the wildcard`);
  // The HTTP client resolves them, so that the key could leave its bucket.
  if (hasStep(url))
    throw invalid(`${field}: a ${scheme}:// location must not contain "." or ".." as a folder`);
  refuseBucket(url, rules, field);
  return { kind: 'bucket', url };
}

async function http(location: string, rules: SourceRules, field: string): Promise<SourceLocation> {
  if (!URL.canParse(location)) throw invalid(`${field}: is not a valid URL`);
  const url = new URL(location);
  if (url.username !== '' || url.password !== '') {
    throw invalid(`${field}: must not carry credentials in the URL`);
  }
  if (location.includes('*')) {
    throw invalid(
      `${field}: a URL names one file, so it must not contain "*"; globs are for local files and buckets`,
    );
  }
  await resolveTarget(rules.privateTargets, url.hostname, field);
  url.hash = '';
  // The parsed form, so that the service reads what it checked.
  return { kind: 'http', url: url.href };
}
