import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { dayLine, focusCsv } from '../../support/exports/focus-export.ts';
import { create, createMetric, SALES } from '../../support/service/create.ts';
import { as, ingest, newOrganisation, waitFor } from '../../support/service/api-client.ts';
import { expectData, expectPage } from '../../support/service/envelope.ts';
import type { ServiceProcess } from '../../support/service/service-process.ts';

/** A service with two organisations: one whose numbers are compared, and one that writes during the backup. */
export interface BackedUp {
  secret: string;
  source: string;
  busySecret: string;
  busy: string;
}

/** Days since 2000-01-01. */
const dayAfter = (index: number): string => new Date(Date.UTC(2000, 0, 1 + index)).toISOString().slice(0, 10);

/** Fills a service: 31.5 USD of spend, sealed revenue, and a locked month with a unit cost of 31.5 ÷ 63 = 0.5. */
export async function fill(service: ServiceProcess): Promise<BackedUp> {
  const { secret, admin } = await newOrganisation(service);
  const location = join(service.dataDir, 'bill.csv');
  await writeFile(location, focusCsv([dayLine('2026-01-01', '11.5'), dayLine('2026-01-31', '20')]));
  const source = await create(admin, '/cost-sources', { name: 'Bill', kind: 'focus', location });
  expect(await ingest(admin, source)).toMatchObject({ status: 'completed', cost_total: 31.5 });
  const orders = await createMetric(admin);
  const sales = await createMetric(admin, SALES);
  // A DuckLake keeps as many rows as December has days in a file, and few rows in its catalog.
  const december = Array.from({ length: 31 }, (_, day) => ({
    period: `2025-12-${String(day + 1).padStart(2, '0')}`,
    value: day,
  }));
  for (const metric of [orders, sales])
    expectData(
      await admin.post(`/metrics/${metric}/values`, {
        values: [...december, { period: '2026-01-31', value: 63 }],
      }),
    );
  expect(expectData(await admin.post(`/metrics/${orders}/months/2026-01/lock`))).toMatchObject({
    locked: { version: 1, cost: 31.5, value: 63, unit_cost: 0.5 },
  });
  const other = await newOrganisation(service, { name: 'Other' });
  return {
    secret,
    source,
    busySecret: other.secret,
    busy: await createMetric(other.admin, { name: 'Busy' }),
  };
}

/** Returns everything that the first organisation shows, by path. */
export async function shownBy(
  service: ServiceProcess,
  { secret, source }: BackedUp,
): Promise<Record<string, unknown>> {
  const admin = as(service, secret);
  const metrics = expectPage(await admin.get<{ id: string }[]>('/metrics')).items.map(({ id }) => id);
  const subjects = [
    'organisation',
    'overview',
    'teams',
    'teams/bills',
    'shared-costs',
    'cost-sources',
    'keys',
    'webhooks',
  ];
  const paths = [
    ...subjects.map((subject) => `/${subject}`),
    ...metrics.flatMap((id) => [`/metrics/${id}/months`, `/metrics/${id}/values`, `/metrics/${id}/history`]),
    '/costs?start_date=2026-01-01&end_date=2026-01-31',
    `/cost-sources/${source}/runs`,
  ];
  const bodies = await Promise.all(paths.map(async (path) => [path, (await admin.get(path)).body] as const));
  return Object.fromEntries(bodies);
}

/** How many values the second organisation had for certain at the beginning of some work, and when the work had ended. */
export interface Written {
  before: number;
  after: number;
}

/** Lets the second organisation send one value after the other, the first ones being 0, 1, 2, …, while `work` runs. */
export async function whileWriting(
  service: ServiceProcess,
  { busySecret, busy }: BackedUp,
  work: () => Promise<void>,
): Promise<Written> {
  const admin = as(service, busySecret);
  let stored = 0;
  const over = new AbortController();
  const writing = (async () => {
    for (; !over.signal.aborted; stored += 1)
      expectData(
        await admin.post(`/metrics/${busy}/values`, {
          values: [{ period: dayAfter(stored), value: stored }],
        }),
      );
  })();
  await waitFor(() => Promise.resolve(stored > 0 ? true : undefined));
  const before = stored;
  await work();
  const after = stored + 1;
  over.abort();
  await writing;
  return { before, after };
}

/** Expects the values of one instant: those that were sent first, without a gap. */
export async function expectOneInstant(
  service: ServiceProcess,
  { busySecret, busy }: BackedUp,
  written: Written,
): Promise<void> {
  const { items } = expectPage(
    await as(service, busySecret).get<{ period: string; value: number }[]>(
      `/metrics/${busy}/values?limit=1000`,
    ),
  );
  expect(items).toMatchObject(items.map((_, index) => ({ period: dayAfter(index), value: index })));
  expect(items.length).toBeGreaterThanOrEqual(written.before);
  expect(items.length).toBeLessThanOrEqual(written.after);
}
