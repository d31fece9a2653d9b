import { createPrivateKey, type KeyObject } from 'node:crypto';
import {
  isProjectId,
  serviceAccountKeyOf,
  wrongServiceAccountKey,
  type ServiceAccountKey,
} from '../../../domain/shared/service-account-key.ts';
import { invalid } from '../../../domain/shared/errors.ts';
import { forMessage } from '../../../domain/shared/text/for-message.ts';
import type { Advice } from './failures.ts';
import { isSigningKey } from './private-key.ts';
import type { Wait } from '../../shared/try-again.ts';

/** A connection to BigQuery (docs/design.md#secrets). */
export interface BigQueryConnection {
  /** The project that runs the queries and pays for them. */
  projectId: string;
  /** Where the data lies, such as `EU` or `europe-west3`. BigQuery finds out if it is missing. */
  location?: string | undefined;
  /** The JSON key of a service account, as sent. */
  credentials: unknown;
}

/** How to reach BigQuery, and whom to keep informed. Only tests set the times. */
export interface BigQueryAccess {
  /** The setting BIGQUERY_API_ENDPOINT. */
  apiEndpoint?: string | undefined;
  /** Stops waiting. A job that was started goes on, and the next attempt reads it. */
  signal: AbortSignal;
  /** Called after each answer about a started query, with the number of rows read so far. */
  onProgress?: ((rowsRead: number) => void) | undefined;
  /** Waits before another try. */
  wait?: Wait | undefined;
  /** The longest that an answer may take, in ms. */
  timeoutMs?: number;
  /** The first pause between two questions whether a query has ended, in ms. */
  pollMs?: number;
  /** What to do about failures of these queries, in place of the advice for other queries (failures.ts). */
  advice?: Advice | undefined;
}

/** A project of BigQuery, and how to sign requests for it. */
export interface BigQueryClient {
  projectId: string;
  location: string | undefined;
  /** Ends in `/projects/<id>`. */
  url: string;
  /** Returns the header `Authorization`, with a token that the key has signed. */
  authorization: () => Promise<string>;
}

const BIGQUERY_API_ENDPOINT = 'https://bigquery.googleapis.com';

/** Running a query needs this scope. Read-only scopes do not suffice for it. */
const SCOPE = 'https://www.googleapis.com/auth/bigquery';

const LOCATION = /^[A-Za-z0-9-]{1,64}$/;

/**
 * Returns a client for a connection. It calls only the endpoint: it signs its own tokens with the key, so it needs no token host
 * and no metadata server (docs/concepts.md#daily-imports).
 *
 * @throws `invalid` for a wrong project, location or key. No message repeats a part of the key.
 */
export function bigQueryClient(
  { projectId, location, credentials }: BigQueryConnection,
  { apiEndpoint = BIGQUERY_API_ENDPOINT }: BigQueryAccess,
): BigQueryClient {
  const key = serviceAccountKeyOf(credentials);
  if (!isSigningKey(key.private_key)) throw wrongServiceAccountKey('private_key');
  if (!isProjectId(projectId)) {
    throw invalid(`project_id: expected the id of a Google Cloud project, got ${forMessage(projectId)}`);
  }
  if (location !== undefined && !LOCATION.test(location))
    throw invalid(
      `location: expected a location such as "EU" or "europe-west3", got ${forMessage(location)}`,
    );
  const signingKey = createPrivateKey(key.private_key);
  return {
    projectId,
    location,
    url: new URL(`/bigquery/v2/projects/${projectId}`, apiEndpoint).href,
    authorization: async () => `Bearer ${await tokenOf(key, signingKey)}`,
  };
}

/**
 * Returns a token. BigQuery accepts one that the key itself signed, with a scope and without an audience. Signing runs on a thread of
 * its own, because a forged key of 4096 bits takes 30 ms.
 */
async function tokenOf(key: ServiceAccountKey, signingKey: KeyObject): Promise<string> {
  const { SignJWT } = await import('jose');
  return new SignJWT({ scope: SCOPE })
    .setProtectedHeader({
      alg: 'RS256',
      typ: 'JWT',
      ...(key.private_key_id === undefined ? {} : { kid: key.private_key_id }),
    })
    .setIssuer(key.client_email)
    .setSubject(key.client_email)
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(signingKey);
}
