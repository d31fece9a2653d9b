import type { CheckedConnection, ConnectionToCheck } from '../../domain/imports/checked-connection.ts';
import { ServiceError } from '../../domain/shared/errors.ts';
import type { StripeApiBase } from '../../domain/imports/stripe/api-base.ts';

/** Where the platforms are reached: the settings STRIPE_API_BASE and BIGQUERY_API_ENDPOINT. */
export interface Platforms {
  stripe: StripeApiBase;
  bigQuery: string;
}

/**
 * Asks the platform whether a connection can be imported, without reading or paying anything (docs/concepts.md#daily-imports).
 * Throws Outage if the platform cannot be asked. Nothing that it returns or throws holds a part of the credential.
 */
export async function checkConnection(
  platforms: Platforms,
  { definition, credential, labelled, days }: ConnectionToCheck,
  signal: AbortSignal,
): Promise<CheckedConnection> {
  // Each client takes a fifth of a second to load, which most starts do not need.
  if (definition.type === 'bigquery') {
    const { checkQuery } = await import('./bigquery/driver.ts');
    const { bytesProcessed, columns, problems } = await checkQuery({
      apiEndpoint: platforms.bigQuery,
      ...queryOf(definition, credential),
      labelled,
      ...days,
      signal,
    });
    return { problems, columns, bytesProcessed };
  }
  const { checkStripeKey } = await import('./stripe/driver.ts');
  try {
    await checkStripeKey({ apiBase: platforms.stripe, apiKey: credential, signal });
    return { problems: [] };
  } catch (error) {
    if (error instanceof ServiceError && error.kind === 'invalid') return { problems: [error.message] };
    throw error;
  }
}

/** Returns a query import as BigQuery's client takes it. `credential` is the JSON of the key. */
export const queryOf = (
  { project_id, location, query }: { project_id: string; location: string | null; query: string },
  credential: string,
) => ({
  projectId: project_id,
  ...(location === null ? {} : { location }),
  query,
  credentials: JSON.parse(credential) as unknown,
});
