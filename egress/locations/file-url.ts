import { invalid } from '../../domain/shared/errors.ts';

/**
 * The absolute path that a `file:` URL names, decoded. Read by hand and not with the URL parser, which takes the
 * `?` of a glob for the start of a query and resolves `..` before anyone can refuse it.
 *
 * @throws ServiceError `invalid` when the URL names another host, a relative path, or is malformed.
 */
export function pathOfFileUrl(location: string, field: string): string {
  const path = /^file:(?:\/\/(?:localhost)?)?(\/(?!\/).*)$/i.exec(location)?.[1];
  if (path === undefined) throw invalid(`${field}: a file URL must be file:///<absolute path>`);
  try {
    return decodeURIComponent(path);
  } catch {
    throw invalid(`${field}: the file URL has a malformed percent-encoding`);
  }
}
