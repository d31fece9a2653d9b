import { DEFAULT_REGION, type ObjectStorage } from '../../domain/sources/exports/object-storage.ts';
import { loadExtension } from './opening/extensions.ts';
import { sqlText } from './sql/sql-text.ts';
import type { Statements } from './session.ts';

/** The proxy for all requests of DuckDB (egress/requests/guarded-proxy.ts). */
export interface EgressProxy {
  url: string;
  username: string;
  password: string;
}

/** A bucket that a reader may open, and its credentials. DuckDB uses them only for paths that begin with the scope. */
export type OpenedBucket =
  | { type: 's3' | 'gcs'; scope: string; storage: ObjectStorage }
  | { type: 'azure'; scope: string; account: string; base: string; sas: string | null };

/** Loads httpfs and lets DuckDB sign requests to `s3://` with the operator's credentials. */
export async function connectObjectStorage(
  session: Statements,
  storage: ObjectStorage,
  extensions: string | null,
): Promise<void> {
  await loadExtension(session, 'httpfs', extensions);
  await createSecret(session, 'object_storage', ['TYPE s3', ...optionsOf(storage)]);
}

/**
 * Loads what reads remote files, and lets DuckDB open the buckets. Sends every HTTP request of DuckDB through the guarded proxy, for
 * all sessions. Must run before the first read of a tenant's location.
 */
export async function connectRemoteFiles(
  session: Statements,
  buckets: readonly OpenedBucket[],
  proxy: EgressProxy,
  extensions: string | null,
): Promise<void> {
  await loadExtension(session, 'httpfs', extensions);
  await session.run(`SET GLOBAL http_proxy = ${sqlText(proxy.url)}`);
  await session.run(`SET GLOBAL http_proxy_username = ${sqlText(proxy.username)}`);
  await session.run(`SET GLOBAL http_proxy_password = ${sqlText(proxy.password)}`);
  if (buckets.some(({ type }) => type === 'azure')) {
    await loadExtension(session, 'azure', extensions);
    // The other transport looks for certificates where Debian has none.
    await session.run(`SET GLOBAL azure_transport_option_type = 'curl'`);
  }
  for (const [index, bucket] of buckets.entries())
    await createSecret(session, `bucket_${index}`, [
      `TYPE ${bucket.type}`,
      `SCOPE ${sqlText(bucket.scope)}`,
      ...(bucket.type === 'azure' ? azureOptionsOf(bucket, proxy) : optionsOf(bucket.storage)),
    ]);
}

const createSecret = (session: Statements, name: string, options: readonly string[]): Promise<unknown> =>
  session.run(`CREATE OR REPLACE SECRET ${name} (${['PROVIDER config', ...options].join(', ')})`);

function optionsOf(storage: ObjectStorage): string[] {
  const endpoint = storage.endpoint === null ? null : new URL(storage.endpoint);
  const options = [
    ['KEY_ID', storage.keyId],
    ['SECRET', storage.secret],
    ['SESSION_TOKEN', storage.sessionToken],
    ['REGION', storage.region ?? DEFAULT_REGION],
    ['ENDPOINT', endpoint === null ? null : `${endpoint.host}${endpoint.pathname.replace(/\/+$/, '')}`],
    ['URL_STYLE', endpoint === null ? null : 'path'],
  ].flatMap(([name, value]) => (name && value ? [`${name} ${sqlText(value)}`] : []));
  return endpoint === null ? options : [...options, `USE_SSL ${String(endpoint.protocol === 'https:')}`];
}

/** The extension ignores the proxy of other requests, and its own setting if there is a secret. */
function azureOptionsOf(
  { account, base, sas }: Extract<OpenedBucket, { type: 'azure' }>,
  { url, username, password }: EgressProxy,
): string[] {
  const connection = [`AccountName=${account}`, `BlobEndpoint=${base}`];
  if (sas !== null) connection.push(`SharedAccessSignature=${sas}`);
  return [
    `CONNECTION_STRING ${sqlText(connection.join(';'))}`,
    `HTTP_PROXY ${sqlText(url)}`,
    `PROXY_USER_NAME ${sqlText(username)}`,
    `PROXY_PASSWORD ${sqlText(password)}`,
  ];
}
