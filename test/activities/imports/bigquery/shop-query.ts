import { runQuery, type QueryRun } from '../../../../activities/imports/bigquery/query-import.ts';
import type { ImportedValue } from '../../../../domain/imports/imported-value.ts';
import { addDays, daysInclusive, type Day } from '../../../../domain/shared/calendar.ts';
import { startFakeBigQuery, type FakeBigQuery } from '../../../support/fakes/bigquery/fake-bigquery.ts';
import type { FakeColumn, FakeQuery } from '../../../support/fakes/bigquery/fake-project.ts';
import { newServiceAccount } from '../../../support/fakes/bigquery/service-account.ts';

/** The query of a shop's orders, and its answers. */
export const ORDERS =
  'SELECT day, COUNT(*) AS value FROM shop.orders WHERE day BETWEEN @start AND @end GROUP BY day';

export const DAY: FakeColumn = { name: 'day', type: 'DATE', mode: 'NULLABLE' };
export const LABEL: FakeColumn = { name: 'label', type: 'STRING', mode: 'NULLABLE' };
export const valueOf = (type: string): FakeColumn => ({ name: 'value', type, mode: 'NULLABLE' });

/** 100 orders on the first day, and one more on each day after it. */
export const orders: FakeQuery = {
  columns: [DAY, valueOf('INTEGER')],
  rows: (start, end) =>
    Array.from({ length: daysInclusive(start, end) }, (_, index) => [
      addDays(start, index),
      `${100 + index}`,
    ]),
};

/** A result that does not depend on the days. */
export const always = (columns: FakeColumn[], rows: (string | null)[][]): FakeQuery => ({
  columns,
  rows: () => rows,
});

const closers: (() => Promise<void>)[] = [];

/** Stops all servers of a test. */
export async function closeShops(): Promise<void> {
  await Promise.all(closers.splice(0).map((close) => close()));
}

/** One key for all tests, because generating one takes longer than most tests. */
const account = newServiceAccount();

/** Starts a fake BigQuery that knows the orders. `closeShops` stops it. */
export async function startShop(query: FakeQuery = orders, of = account): Promise<FakeBigQuery> {
  const fake = await startFakeBigQuery(of);
  closers.push(() => fake.close());
  fake.project.queries.set(ORDERS, query);
  return fake;
}

const JANUARY: { start: Day; end: Day } = { start: '2026-01-01', end: '2026-01-31' };

/** Returns a run of the orders of January, with pauses too short to notice. */
export const runOf = (fake: FakeBigQuery, changes: Partial<QueryRun> = {}): QueryRun => ({
  projectId: fake.project.id,
  credentials: fake.account.key,
  query: ORDERS,
  labelled: false,
  ...JANUARY,
  jobId: 'cost-analytics-run-1',
  apiEndpoint: fake.url,
  signal: new AbortController().signal,
  wait: async () => undefined,
  pollMs: 1,
  ...changes,
});

/** Returns all values of a run. */
export async function valuesOf(
  fake: FakeBigQuery,
  changes: Partial<QueryRun> = {},
): Promise<ImportedValue[]> {
  const values: ImportedValue[] = [];
  for await (const page of runQuery(runOf(fake, changes))) values.push(...page);
  return values;
}

/** Returns the error of a run or a check that must fail. */
export async function errorOf(work: Promise<unknown>): Promise<Error> {
  const result = await work.then(
    (value) => ({ value }),
    (error: unknown) => error,
  );
  if (result instanceof Error) return result;
  throw new Error(`expected a failure, got ${JSON.stringify(result)}`);
}
