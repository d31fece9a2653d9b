import type { Statements } from '../../engine/session.ts';
import { STORED } from '../feeds/read-feed.ts';
import { chargedMonths, type ChargedMonths } from './charged-months.ts';

/** What a reading that failed had read of a bill. */
export interface ReadGroups extends ChargedMonths {
  rowsOfCurrency: Map<string, number>;
  accounts: string[];
  units: string[];
  rows: number;
}

/** Returns what a reader has read of a bill whose reading failed; null if it has not come so far. */
export async function readGroups(reader: Statements): Promise<ReadGroups | null> {
  const columns = await reader.query<{ column_name: string }>(
    `SELECT column_name FROM duckdb_columns() WHERE table_name = 'checked_groups'
       AND column_name IN ('currency', 'cloud', 'account', 'day')`,
  );
  if (columns.length < 4) return null;
  const currencies = await reader.query<{ currency: string; row_count: string }>(
    `SELECT left(currency, 80) AS currency, sum(row_count)::BIGINT AS row_count FROM checked_groups WHERE ${STORED}
     GROUP BY ALL ORDER BY row_count DESC, currency`,
  );
  const units = await reader.query<{ cloud: string; account: string }>(
    `SELECT DISTINCT cloud, account FROM checked_groups WHERE ${STORED} ORDER BY ALL`,
  );
  const charged = await chargedMonths(reader, `checked_groups WHERE ${STORED}`);
  const rowsOfCurrency = new Map(currencies.map(({ currency, row_count }) => [currency, Number(row_count)]));
  return {
    rowsOfCurrency,
    accounts: [...new Set(units.map(({ account }) => account))].sort(),
    units: units.map(({ cloud, account }) => `${cloud}/${account}`),
    ...charged,
    rows: [...rowsOfCurrency.values()].reduce((sum, rows) => sum + rows, 0),
  };
}
