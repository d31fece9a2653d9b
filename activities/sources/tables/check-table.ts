import { invalid } from '../../../domain/shared/errors.ts';
import type { Credentials } from '../../../domain/sources/credentials.ts';
import { isTableLocation, tableOfLocation } from '../../../domain/sources/table-location.ts';
import { bigQueryClient } from '../../shared/bigquery/client.ts';
import { SOURCE_ADVICE } from './source-advice.ts';
import { columnsOfQuery, everything } from './table-queries.ts';

/** Tries whether a service account may query the tables of a source, by a free dry run. Throws `invalid` that says what to change. */
export async function checkTables(
  { service_account: key }: Extract<Credentials, { type: 'google' }>,
  locations: readonly string[],
  { bigQueryEndpoint, signal }: { bigQueryEndpoint?: string | undefined; signal: AbortSignal },
): Promise<void> {
  const access = { apiEndpoint: bigQueryEndpoint, signal, advice: SOURCE_ADVICE };
  const client = bigQueryClient({ projectId: key.project_id, credentials: key }, access);
  for (const location of locations.filter(isTableLocation)) {
    const columns = await columnsOfQuery(everything(tableOfLocation(location)), { client, access });
    if (columns.length === 0) throw invalid('location: expected a table with columns');
  }
}
