import { invalid } from '../../../domain/shared/errors.ts';
import type { Credentials } from '../../../domain/sources/credentials.ts';
import { isTableLocation, tableOfLocation } from '../../../domain/sources/table-location.ts';
import { columnsOfQuery, everything, tableAccess } from './table-queries.ts';

/** Tries whether a service account may query the tables of a source, by a free dry run. Throws `invalid` that says what to change. */
export async function checkTables(
  credentials: Extract<Credentials, { type: 'google' }>,
  locations: readonly string[],
  { bigQueryEndpoint, signal }: { bigQueryEndpoint?: string | undefined; signal: AbortSignal },
): Promise<void> {
  const asked = tableAccess(credentials, { bigQueryEndpoint, signal });
  for (const location of locations.filter(isTableLocation)) {
    const columns = await columnsOfQuery(everything(tableOfLocation(location)), asked);
    if (columns.length === 0) throw invalid('location: expected a table with columns');
  }
}
