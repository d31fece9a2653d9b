import type { Day, Month } from '../../../domain/shared/calendar.ts';
import type { Statements } from '../../engine/session.ts';
import { STORED } from '../feeds/read-feed.ts';

/** What a reading that failed had read of a bill. */
export interface ReadGroups {
  rowsOfCurrency: Map<string, number>;
  accounts: string[];
  units: string[];
  months: Month[];
  firstDay: Day | null;
  lastDay: Day | null;
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
  const months = await reader.query<{ month: Month; first_day: Day; last_day: Day }>(
    `SELECT strftime(day, '%Y-%m') AS month, min(day) AS first_day, max(day) AS last_day
     FROM checked_groups WHERE ${STORED} GROUP BY ALL ORDER BY month`,
  );
  const rowsOfCurrency = new Map(currencies.map(({ currency, row_count }) => [currency, Number(row_count)]));
  return {
    rowsOfCurrency,
    accounts: [...new Set(units.map(({ account }) => account))].sort(),
    units: units.map(({ cloud, account }) => `${cloud}/${account}`),
    months: months.map(({ month }) => month),
    firstDay: months[0]?.first_day ?? null,
    lastDay: months.at(-1)?.last_day ?? null,
    rows: [...rowsOfCurrency.values()].reduce((sum, rows) => sum + rows, 0),
  };
}
