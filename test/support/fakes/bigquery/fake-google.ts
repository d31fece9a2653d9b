import { startFakeBigQuery, type FakeBigQuery } from './fake-bigquery.ts';
import { FakeTables } from './fake-tables.ts';
import { newServiceAccount } from './service-account.ts';

/** A fake BigQuery with tables. */
export interface FakeGoogle {
  bigQuery: FakeBigQuery;
  tables: FakeTables;
  close: () => Promise<void>;
}

export async function startGoogle(): Promise<FakeGoogle> {
  const bigQuery = await startFakeBigQuery(newServiceAccount());
  const tables = await FakeTables.open();
  bigQuery.project.tables = tables;
  return {
    bigQuery,
    tables,
    close: async () => {
      await bigQuery.close();
      await tables.close();
    },
  };
}
