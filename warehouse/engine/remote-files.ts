import type { ObjectStorage } from '../../domain/sources/exports/object-storage.ts';
import { loadExtension } from './opening/extensions.ts';
import { sqlText } from './sql/sql-text.ts';
import type { Statements } from './session.ts';

/** The proxy for all requests of DuckDB (egress/requests/guarded-proxy.ts). */
export interface EgressProxy {
  url: string;
  username: string;
  password: string;
}

/** Loads httpfs and lets DuckDB sign requests to `s3://` with the operator's credentials. */
export async function connectObjectStorage(
  session: Statements,
  storage: ObjectStorage,
  extensions: string | null,
): Promise<void> {
  await loadExtension(session, 'httpfs', extensions);
  const endpoint = storage.endpoint === null ? null : new URL(storage.endpoint);
  const options = [
    ['KEY_ID', storage.keyId],
    ['SECRET', storage.secret],
    ['SESSION_TOKEN', storage.sessionToken],
    ['REGION', storage.region],
    ['ENDPOINT', endpoint?.host ?? null],
    ['URL_STYLE', endpoint === null ? null : 'path'],
  ].flatMap(([name, value]) => (name && value ? [`${name} ${sqlText(value)}`] : []));
  if (endpoint !== null) options.push(`USE_SSL ${String(endpoint.protocol === 'https:')}`);
  await session.run(
    `CREATE OR REPLACE SECRET object_storage (${['TYPE s3', 'PROVIDER config', ...options].join(', ')})`,
  );
}

/**
 * Sends every HTTP request of DuckDB through the guarded proxy, for all sessions. Must run before the first read of a tenant's
 * location.
 */
export async function guardRequests(session: Statements, proxy: EgressProxy): Promise<void> {
  await session.run(`SET GLOBAL http_proxy = ${sqlText(proxy.url)}`);
  await session.run(`SET GLOBAL http_proxy_username = ${sqlText(proxy.username)}`);
  await session.run(`SET GLOBAL http_proxy_password = ${sqlText(proxy.password)}`);
}
