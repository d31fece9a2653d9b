import { delimiter, join, resolve } from 'node:path';
import { z } from 'zod';
import type { Platform } from '../../domain/imports/platforms.ts';
import { apiBaseText, stripeApiBase } from '../../domain/imports/stripe/api-base.ts';
import { bytesOf } from '../../domain/shared/byte-size.ts';
import { fixedClock, systemClock, type Clock } from '../../domain/shared/clock.ts';
import { exportTarget } from '../../egress/exports/export-target.ts';
import { parsePrivateTargets } from '../../egress/requests/private-targets.ts';
import { parseSourceBuckets } from '../../egress/locations/source-buckets.ts';
import { ORGANISATION_PLACEHOLDER, type SourceRoots } from '../../egress/locations/source-rules.ts';
import { MOST_KEPT } from '../../warehouse/engine/backup/kept-copies.ts';
import { isDuckLake } from '../../warehouse/engine/location.ts';
import { defaultMemory } from './default-memory.ts';
import { parseMasterKey } from './master-key.ts';
import { valuesInFiles } from './values-in-files.ts';

/** A setting that may be absent or empty. */
const optional = z
  .string()
  .optional()
  .transform((text) => (text === undefined || text.trim() === '' ? null : text.trim()));

const withDefault = (text: string) => optional.transform((given) => given ?? text);

/** A setting that `read` parses. An error of `read` becomes the setting's error. */
const readBy = <Value>(read: (text: string) => Value) =>
  optional.transform((text, context) => {
    try {
      return text === null ? null : read(text);
    } catch (error) {
      context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : String(error) });
      return z.NEVER;
    }
  });

const wholeNumber = (label: string, low: number, high: number) =>
  readBy((text) => {
    const number = Number(text);
    if (Number.isInteger(number) && number >= low && number <= high) return number;
    throw new Error(`expected ${label} from ${low} to ${high}, got ${JSON.stringify(text)}`);
  });

const masterKeySetting = readBy((text) => {
  const key = parseMasterKey(text);
  if (key !== null) return key;
  throw new Error('expected base64 of 32 bytes (openssl rand -base64 32)');
});

function publicUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`) return url;
  throw new Error(`expected an origin such as https://costs.example.com, got ${JSON.stringify(text)}`);
}

/** With less, the service hardly starts. Ingests and bills need more: 256MB for the sample shop. */
const LEAST_MEMORY = '64MB';

/** Two weeks of daily backups. */
const DEFAULT_KEEP = 14;
/** After the maintenance, and before the ingests. */
const DEFAULT_BACKUP_HOUR = 3;

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** The samplers that OpenTelemetry's specification names. */
const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

const otlpEndpoint = optional.pipe(
  z.url({ protocol: /^https?$/, error: 'expected a URL such as http://127.0.0.1:4318' }).nullable(),
);

/** The address of a service other than a cloud's own. */
const serviceUrl = optional
  .pipe(z.url({ protocol: /^https?$/, error: 'expected a URL such as https://minio.example.com' }).nullable())
  .transform((url) => url?.replace(/\/+$/, '') ?? null);

/** The settings that are secrets, or hold one. Each has a second form, `NAME_FILE`. The name of any secret must stand here. */
const secrets = {
  OPERATOR_KEY: optional.refine((key) => key === null || key.length >= 16, {
    error: 'expected at least 16 characters',
  }),
  MASTER_KEY: masterKeySetting,
  MASTER_KEY_PREVIOUS: masterKeySetting,
  // The password of Postgres.
  WAREHOUSE: optional,
  TEMPORAL_API_KEY: optional,
  AWS_ACCESS_KEY_ID: optional,
  AWS_SECRET_ACCESS_KEY: optional,
  AWS_SESSION_TOKEN: optional,
  GCS_SECRET: optional,
  AZURE_STORAGE_KEY: optional,
  AZURE_STORAGE_SAS_TOKEN: optional.transform((token) => token?.replace(/^\?/, '') ?? null),
  // The address of a collector may have a user and a password.
  OTEL_EXPORTER_OTLP_ENDPOINT: otlpEndpoint,
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: otlpEndpoint,
  OTEL_EXPORTER_OTLP_HEADERS: optional,
};

/** The names of the settings that can also be read from a file. */
export const SECRETS = Object.keys(secrets);

/** Every setting of the product by its name (docs/operation.md#settings). Errors name the setting. */
const environment = z.object({
  ...secrets,
  DATA_DIR: withDefault('./data'),
  HOST: withDefault('127.0.0.1'),
  PORT: wholeNumber('a port', 0, 65_535),
  PUBLIC_URL: readBy(publicUrl),
  METRICS_PORT: wholeNumber('a port', 1, 65_535),
  LOG_LEVEL: withDefault('info').pipe(
    z.enum(LOG_LEVELS, { error: `expected one of ${LOG_LEVELS.join(', ')}` }),
  ),
  WAREHOUSE_DATA: optional,
  TEMPORAL_ADDRESS: readBy((text) => {
    if (/^[^\s/]+:\d{1,5}$/.test(text)) return text;
    throw new Error(`expected host:port of a Temporal server, got ${JSON.stringify(text)}`);
  }),
  TEMPORAL_NAMESPACE: withDefault('default'),
  TEMPORAL_TLS_CA: optional,
  TEMPORAL_TLS_CERT: optional,
  TEMPORAL_TLS_KEY: optional,
  TEMPORAL_TLS_SERVER_NAME: optional,
  TEMPORAL_UI_PORT: wholeNumber('a port', 1, 65_535),
  OTEL_SDK_DISABLED: withDefault('false').pipe(
    z.enum(['true', 'false'], { error: 'expected true or false' }),
  ),
  OTEL_SERVICE_NAME: withDefault('cost-analytics'),
  OTEL_EXPORTER_OTLP_PROTOCOL: withDefault('http/protobuf'),
  OTEL_TRACES_SAMPLER: withDefault('parentbased_always_on').pipe(
    z.enum(SAMPLERS, { error: `expected one of ${SAMPLERS.join(', ')}` }),
  ),
  CLOCK: optional
    .pipe(
      z.iso.datetime({ offset: true, error: 'expected an instant such as 2026-02-07T06:00:00Z' }).nullable(),
    )
    .transform((text) => (text === null ? null : new Date(text))),
  DUCKDB_EXTENSIONS: optional,
  DUCKDB_MEMORY_LIMIT: optional
    .transform((text) => text ?? defaultMemory())
    .refine((size) => bytesOf(size) >= bytesOf(LEAST_MEMORY), {
      error: ({ input }) =>
        `expected a size of at least ${LEAST_MEMORY}, such as 1GB, got ${JSON.stringify(input)}`,
    }),
  CACHE_MEMORY: withDefault('64MB').refine((size) => !Number.isNaN(bytesOf(size)), {
    error: ({ input }) => `expected a size, such as 64MB, got ${JSON.stringify(input)}`,
  }),
  DUCKDB_THREADS: wholeNumber('a number of threads', 1, 1024),
  SOURCE_ROOTS: readBy((text): SourceRoots => {
    const folders = text.split(delimiter).filter((folder) => folder !== '');
    const [first, ...others] = folders.map((folder) => resolve(folder));
    if (first !== undefined) return [first, ...others];
    throw new Error('expected at least one folder');
  }),
  PRIVATE_TARGETS: readBy(parsePrivateTargets).transform((targets) => targets ?? parsePrivateTargets('')),
  EXPORT_TO: readBy(exportTarget),
  BACKUP_TO: optional.transform((folder) => (folder === null ? null : resolve(folder))),
  BACKUP_KEEP: wholeNumber('a number of copies', 1, MOST_KEPT).transform((keep) => keep ?? DEFAULT_KEEP),
  BACKUP_HOUR: wholeNumber('an hour', 0, 23).transform((hour) => hour ?? DEFAULT_BACKUP_HOUR),
  UPLOAD_LIMIT: withDefault('256MiB').refine((size) => bytesOf(size) >= 1, {
    error: ({ input }) => `expected a size, such as 256MiB, got ${JSON.stringify(input)}`,
  }),
  WEBHOOK_TIMEOUT: wholeNumber('a number of seconds', 1, 60),
  STRIPE_API_BASE: readBy(stripeApiBase).transform((base) => base ?? stripeApiBase('https://api.stripe.com')),
  BIGQUERY_API_ENDPOINT: withDefault('https://bigquery.googleapis.com').pipe(
    z.url({ protocol: /^https?$/, error: 'expected a URL such as https://bigquery.googleapis.com' }),
  ),
  SOURCE_BUCKETS: readBy(parseSourceBuckets),
  AWS_REGION: optional,
  AWS_ENDPOINT_URL_S3: optional,
  AWS_ENDPOINT_URL_STS: serviceUrl,
  GCS_ACCESS_ID: optional,
  GCS_ENDPOINT_URL: serviceUrl,
  AZURE_STORAGE_ENDPOINT: serviceUrl,
});

/** The settings of a process, read once at its start. */
export interface Settings extends z.infer<typeof environment> {
  dataDir: string;
  port: number;
  warehouse: string;
  sourceRoots: SourceRoots;
  webhookTimeoutMs: number;
}

const DEFAULT_PORT = 8080;
const DEFAULT_WEBHOOK_TIMEOUT = 10;

/**
 * Reads the settings from an environment, and from the files that it names.
 *
 * @throws one Error that names every wrong setting and what was expected
 */
export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const { values, fromFiles, problems } = valuesInFiles(env, SECRETS);
  const parsed = environment.safeParse(values);
  for (const { path, message } of parsed.error?.issues ?? []) {
    const name = path.join('.');
    problems.push(`${fromFiles.has(name) ? `${name}_FILE` : name}: ${message}`);
  }
  if (!parsed.success || problems.length > 0) throw new Error(problems.join('\n'));
  const { MASTER_KEY: key, WAREHOUSE: warehouse } = parsed.data;
  if (key === null && isDuckLake(warehouse ?? ''))
    throw new Error(
      'MASTER_KEY: expected base64 of 32 bytes (openssl rand -base64 32), the same on all machines that share a DuckLake; got nothing',
    );
  if (parsed.data.BACKUP_TO !== null && isDuckLake(warehouse ?? ''))
    throw new Error(
      'BACKUP_TO: expected nothing beside a DuckLake, which Postgres and the object storage copy; let a schedule of your own run ' +
        'cost-analytics backup --to DIR --keep N, and the commands that it prints',
    );
  if (parsed.data.TEMPORAL_UI_PORT !== null && parsed.data.TEMPORAL_ADDRESS !== null)
    throw new Error(
      'TEMPORAL_UI_PORT: expected nothing beside TEMPORAL_ADDRESS, because it opens the web page of the embedded server; ' +
        'the cluster has a page of its own',
    );
  const { OTEL_EXPORTER_OTLP_PROTOCOL: protocol } = parsed.data;
  if (tracesEndpointOf(parsed.data) !== null && protocol !== 'http/protobuf')
    throw new Error(`OTEL_EXPORTER_OTLP_PROTOCOL: expected http/protobuf, got ${JSON.stringify(protocol)}`);
  const dataDir = resolve(parsed.data.DATA_DIR);
  return {
    ...parsed.data,
    dataDir,
    port: parsed.data.PORT ?? DEFAULT_PORT,
    webhookTimeoutMs: (parsed.data.WEBHOOK_TIMEOUT ?? DEFAULT_WEBHOOK_TIMEOUT) * 1000,
    warehouse: warehouse ?? join(dataDir, 'warehouse.duckdb'),
    sourceRoots: parsed.data.SOURCE_ROOTS ?? [join(dataDir, 'exports', ORGANISATION_PLACEHOLDER)],
  };
}

/** Returns where the platforms of imports are reached. */
export const platformsOf = ({
  BIGQUERY_API_ENDPOINT: bigquery,
  STRIPE_API_BASE: stripe,
}: Pick<Settings, 'STRIPE_API_BASE' | 'BIGQUERY_API_ENDPOINT'>) =>
  ({ bigquery, stripe: apiBaseText(stripe) }) satisfies Record<Platform, string>;

/** Returns the address of the embedded Temporal server's web page, or null if it serves none. */
export const temporalPageOf = ({
  TEMPORAL_UI_PORT: port,
}: Pick<Settings, 'TEMPORAL_UI_PORT'>): string | null => (port === null ? null : `http://127.0.0.1:${port}`);

/** Returns where traces are sent, by the rules of OpenTelemetry's specification; null if they are not. */
export function tracesEndpointOf(
  settings: Pick<
    Settings,
    'OTEL_SDK_DISABLED' | 'OTEL_EXPORTER_OTLP_ENDPOINT' | 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'
  >,
): string | null {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: base, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: own } = settings;
  if (settings.OTEL_SDK_DISABLED === 'true') return null;
  return own ?? (base === null ? null : `${base.replace(/\/$/, '')}/v1/traces`);
}

/** Returns the product's clock: the system's, or one that stands still at `CLOCK`. */
export const clockOf = ({ CLOCK }: Pick<Settings, 'CLOCK'>): Clock =>
  CLOCK === null ? systemClock : fixedClock(CLOCK);
