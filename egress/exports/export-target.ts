import { resolve } from 'node:path';
import { ORGANISATION_PLACEHOLDER } from '../locations/source-rules.ts';
import { bucketPlace } from './bucket-place.ts';
import type { ExportPlace, StorageRules } from './export-place.ts';
import { folderPlace } from './folder-place.ts';

/** Where the nightly export of all organisations goes (EXPORT_TO). Each path holds the placeholder of the organisation. */
export type ExportTarget =
  /** `base` is the part before the placeholder, which the operator owns. Both are absolute. */
  { kind: 'folder'; path: string; base: string } | { kind: 's3'; bucket: string; prefix: string };

const EXPECTED = `expected a folder, or s3://bucket/prefix`;

/**
 * Reads EXPORT_TO. Without the placeholder, each organisation has a folder of its id below the target, so that no two share one.
 *
 * @throws Error with what was expected.
 */
export function exportTarget(text: string): ExportTarget {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(text)?.[1]?.toLowerCase();
  if (scheme !== undefined && scheme !== 's3') throw new Error(`${EXPECTED}, got the scheme "${scheme}:"`);
  if (/\p{Cc}/u.test(text)) throw new Error(`${EXPECTED} without control characters`);
  return scheme === 's3' ? bucketOf(text) : folderOf(text);
}

function folderOf(text: string): ExportTarget {
  const path = resolve(withPlaceholder(text));
  const [before = ''] = path.split(ORGANISATION_PLACEHOLDER);
  return { kind: 'folder', path, base: before.slice(0, before.lastIndexOf('/')) || '/' };
}

function bucketOf(text: string): ExportTarget {
  // The bucket becomes part of a host name, so it must not be able to change that name.
  const [, bucket, rest = ''] = /^s3:\/\/([a-z0-9][a-z0-9._-]{1,62})(?:\/(.*))?$/i.exec(text) ?? [];
  if (bucket === undefined) throw new Error(`${EXPECTED}, got ${JSON.stringify(text)}`);
  const segments = rest.split('/').filter((segment) => segment !== '');
  // An HTTP client resolves these segments, so a key could leave its prefix.
  if (segments.some((segment) => segment === '.' || segment === '..'))
    throw new Error(`${EXPECTED} without "." and "..", got ${JSON.stringify(text)}`);
  return { kind: 's3', bucket, prefix: withPlaceholder(segments.join('/')) };
}

const withPlaceholder = (path: string): string =>
  path.includes(ORGANISATION_PLACEHOLDER)
    ? path
    : `${path}${path === '' || path.endsWith('/') ? '' : '/'}${ORGANISATION_PLACEHOLDER}`;

/** Returns an organisation's place in the target. `orgId` may also be another plain name, for a check. */
export function placeOf(target: ExportTarget, orgId: string, rules: StorageRules): ExportPlace {
  const ofOrganisation = (path: string): string => path.replaceAll(ORGANISATION_PLACEHOLDER, orgId);
  return target.kind === 'folder'
    ? folderPlace(ofOrganisation(target.path), target.base)
    : bucketPlace(`s3://${target.bucket}/${ofOrganisation(target.prefix)}`, rules);
}

/** Writes and removes a file, to find whether the target can be written to. Throws the reason if it cannot. */
export async function checkTarget(target: ExportTarget, file: string, rules: StorageRules): Promise<void> {
  const place = placeOf(target, 'doctor', rules);
  const signal = AbortSignal.timeout(CHECK_MS);
  await place.put('write-check', file, signal);
  await place.remove('write-check', signal);
}

const CHECK_MS = 30_000;
