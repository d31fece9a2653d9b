import { describe, expect, it } from 'vitest';
import { detailedTable, type GoogleCharge } from '../../../support/exports/google-bill.ts';
import { lacking } from '../../../support/needs.ts';
import { openDuckDb } from '../../../support/warehouse/engines.ts';
import { choose } from '../../../support/warehouse/spend-choices.ts';
import { spendByDay } from '../../../support/warehouse/tenant.ts';
import { withOpened } from '../../../support/with-opened.ts';
import { startGoogle } from '../../../support/fakes/bigquery/fake-google.ts';
import { ingestRows, newTableSource } from './google-source.ts';

const OLD: GoogleCharge = {
  from: '2025-11-10T05:00:00Z',
  to: '2025-11-10T06:00:00Z',
  cost: '1',
  exported: '2025-12-02T03:00:00Z',
};
const LATER: GoogleCharge = {
  from: '2025-12-10T05:00:00Z',
  to: '2025-12-10T06:00:00Z',
  cost: '2',
  exported: '2026-01-02T03:00:00Z',
};
const NEWEST: GoogleCharge = {
  from: '2026-01-10T05:00:00Z',
  to: '2026-01-10T06:00:00Z',
  cost: '4',
  labels: { team: 'web' },
};

describe.skipIf(lacking('sqlglot') !== '')(`a run reads of a table${lacking('sqlglot')}`, () => {
  const test = withOpened(openDuckDb);
  const google = withOpened(startGoogle);

  /** Returns how many jobs a run starts, and what it reports. */
  async function run(tenant: Awaited<ReturnType<typeof newTableSource>>, charges: readonly GoogleCharge[]) {
    const { started } = google.bigQuery.project;
    const before = started.length;
    const result = await ingestRows(test, google, tenant, detailedTable(charges));
    return { jobs: started.length - before, ...result };
  }

  it('only the billing periods that have changed', async () => {
    const tenant = await newTableSource(test);
    // The list of periods, three roll-ups, and what the newest complete month can be divided by.
    expect(await run(tenant, [OLD, LATER, NEWEST])).toMatchObject({
      jobs: 5,
      filesRead: 3,
      filesUnchanged: 0,
      rowsRead: 3,
    });
    const same = await run(tenant, [OLD, LATER, NEWEST]);
    expect(same).toMatchObject({ jobs: 1, filesRead: 0, filesUnchanged: 3, bytesRead: 0, months: [] });
    const more = await run(tenant, [
      OLD,
      LATER,
      { ...LATER, cost: '8', exported: '2026-02-06T03:00:00Z' },
      NEWEST,
    ]);
    expect(more).toMatchObject({
      jobs: 2,
      filesRead: 1,
      filesUnchanged: 2,
      bytesRead: 400,
      months: ['2025-12'],
    });
    expect(await spendByDay(test.warehouse, tenant.orgId)).toEqual({
      '2025-11-10': '1.000000000000000',
      '2025-12-10': '10.000000000000000',
      '2026-01-10': '4.000000000000000',
    });
  });

  it('the periods from the first day of a new choice on', async () => {
    const tenant = await newTableSource(test);
    await run(tenant, [OLD, LATER, NEWEST]);
    await choose(test, tenant.orgId, { kind: 'tag', cloud: 'gcp', choice: 'team', firstDay: '2026-01-01' });
    expect(await run(tenant, [OLD, LATER, NEWEST])).toMatchObject({
      jobs: 3,
      filesRead: 1,
      months: ['2026-01'],
    });
    const tagged = await test.warehouse.query(
      `SELECT tag_key, tag_value FROM cloud_spend JOIN current_loads USING (org_id, source_id, load_id, billing_period)
       WHERE org_id = $org AND tag_key IS NOT NULL`,
      { org: tenant.orgId },
    );
    expect(tagged).toEqual([{ tag_key: 'team', tag_value: 'web' }]);
  });

  it('a month that ends quietly once more, when a later one has begun', async () => {
    const tenant = await newTableSource(test);
    const writtenThrough = () =>
      test.warehouse.query(
        `SELECT CAST(billing_period AS VARCHAR) AS period, CAST(written_through AS VARCHAR) AS day FROM current_loads
         WHERE org_id = $org ORDER BY ALL`,
        { org: tenant.orgId },
      );
    const quiet: GoogleCharge = {
      from: '2026-01-20T08:00:00Z',
      to: '2026-01-20T09:00:00Z',
      cost: '2',
      exported: '2026-01-20T13:00:00Z',
    };
    await run(tenant, [quiet]);
    // Nobody knows yet whether the 20th has more.
    expect(await writtenThrough()).toEqual([{ period: '2026-01-01', day: '2026-01-19' }]);
    const later = { from: '2026-02-04T05:00:00Z', to: '2026-02-04T06:00:00Z', cost: '1' };
    expect(await run(tenant, [quiet, later])).toMatchObject({ months: ['2026-01', '2026-02'] });
    expect(await writtenThrough()).toEqual([
      { period: '2026-01-01', day: null },
      { period: '2026-02-01', day: null },
    ]);
    expect(await run(tenant, [quiet, later])).toMatchObject({ filesRead: 0, months: [] });
  });
});
