import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createCostSource, updateCostSource } from '../../../warehouse/sources/cost-sources.ts';
import { costsOf } from '../../support/warehouse/costs-of.ts';
import { describeFile } from '../../support/warehouse/describe-file.ts';
import { stageFocus } from '../../../warehouse/sources/focus/focus-load.ts';
import { compact, removeDeadSpend, SPEND_TABLES } from '../../../warehouse/engine/maintenance/maintenance.ts';
import { describeOnBothEngines } from '../../support/warehouse/engines.ts';
import { dayLine, focusCsv, type FocusLine } from '../../support/exports/focus-export.ts';
import { ADMIN, published } from '../../support/warehouse/tenant.ts';
import { loading, scopeOf } from '../../support/warehouse/feeds.ts';
import { withOpened } from '../../support/with-opened.ts';

const NOW = new Date('2026-03-01T00:00:00Z');
const RANGE = { previousStart: '2025-12-01', start: '2026-01-01', end: '2026-01-31' };

describeOnBothEngines('maintenance', (open) => {
  const test = withOpened(open);
  let exports: string;

  beforeAll(async () => {
    exports = await mkdtemp(join(tmpdir(), 'cost-analytics-maintenance-'));
  });
  afterAll(async () => {
    await rm(exports, { recursive: true, force: true });
  });

  const newSource = async (orgId: string): Promise<string> => {
    const source = {
      name: 'bill',
      kind: 'focus',
      location: exports,
      currency: null,
      options: { cost_column: 'BilledCost' },
      schedule_paused: false,
      starts_on: null,
    } as const;
    return (
      await createCostSource(test.warehouse, orgId, source, { actor: ADMIN, now: new Date('2026-01-01') })
    ).id;
  };

  const load = async (
    orgId: string,
    sourceId: string,
    cost: string,
    now: string,
    { isCurrent = true, more = [] }: { isCurrent?: boolean; more?: readonly FocusLine[] } = {},
  ): Promise<void> => {
    const file = join(exports, `${orgId}.csv`);
    await writeFile(file, focusCsv([dayLine('2026-01-10', cost), ...more]));
    await loading(test, async (sessions) =>
      published(
        sessions,
        scopeOf({ orgId, sourceId }, { now: new Date(now) }),
        async (load) =>
          stageFocus(sessions, load, {
            files: [await describeFile(sessions.reader, file)],
            costColumn: 'BilledCost',
            currency: 'USD',
          }),
        isCurrent,
      ),
    );
  };

  const rowsOf = async (orgId: string): Promise<number> => {
    const [row] = await test.warehouse.query<{ stored: string }>(
      'SELECT count(*) AS stored FROM cloud_spend WHERE org_id = $org',
      { org: orgId },
    );
    return Number(row?.stored);
  };

  it('cleans every table that has rows of loads', async () => {
    const columns = ['org_id', 'source_id', 'load_id', 'billing_period'];
    const tables = await test.warehouse.query<{ name: string }>(
      `SELECT table_name AS name FROM duckdb_columns() WHERE database_name = 'warehouse' AND list_contains($columns, column_name)
         AND table_name NOT IN ('loads', 'current_loads')
       GROUP BY ALL HAVING count(*) = len($columns) ORDER BY name`,
      { columns },
    );
    expect(tables.map(({ name }) => name)).toEqual([...SPEND_TABLES].sort());
  });

  it('removes a replaced load seven days after its replacement, and changes no total', async () => {
    const source = await newSource('org_replaced');
    await load('org_replaced', source, '10', '2026-02-01T00:00:00Z');
    await load('org_replaced', source, '12.5', '2026-02-20T00:00:00Z');
    expect(await rowsOf('org_replaced')).toBe(2);

    // Replaced on 20 February: six days before the 26th, more than seven before the 28th.
    await removeDeadSpend(test.warehouse, new Date('2026-02-26T00:00:00Z'));
    expect(await rowsOf('org_replaced')).toBe(2);
    await removeDeadSpend(test.warehouse, new Date('2026-02-28T00:00:00Z'));
    expect(await rowsOf('org_replaced')).toBe(1);
    expect(await removeDeadSpend(test.warehouse, new Date('2026-02-28T00:00:00Z'))).toBe(0);

    await compact(test.warehouse);
    expect(Number((await costsOf(test.warehouse, 'org_replaced', RANGE, NOW)).total)).toBe(12.5);
  });

  it('removes old rows of an attempt that died before it published; they never count', async () => {
    const source = await newSource('org_orphan');
    await expect(
      load('org_orphan', source, '99', '2026-02-01T00:00:00Z', { isCurrent: false }),
    ).rejects.toThrow('given up');
    expect(Number((await costsOf(test.warehouse, 'org_orphan', RANGE, NOW)).total)).toBe(0);
    expect(await rowsOf('org_orphan')).toBe(1);
    // The machine's clock decides its age: the attempt was made just now.
    await removeDeadSpend(test.warehouse, new Date('2030-01-01T00:00:00Z'));
    expect(await rowsOf('org_orphan')).toBe(1);
    // The same attempt as if it had been made in 2020.
    await test.warehouse.run(
      `UPDATE cloud_spend SET load_id = '016f5e66-e800-7000-8000-000000000000'::UUID WHERE org_id = 'org_orphan'`,
    );
    await removeDeadSpend(test.warehouse, new Date('2026-02-01T00:00:00Z'));
    expect(await rowsOf('org_orphan')).toBe(0);
  });

  it('removes the spend of a deleted source after seven days; it stops counting at once', async () => {
    const source = await newSource('org_deleted');
    await load('org_deleted', source, '5', '2026-02-01T00:00:00Z');
    await updateCostSource(test.warehouse, 'org_deleted', source, 'delete', {
      actor: ADMIN,
      now: new Date('2026-03-01T00:00:00Z'),
    });
    expect(Number((await costsOf(test.warehouse, 'org_deleted', RANGE, NOW)).total)).toBe(0);
    await removeDeadSpend(test.warehouse, new Date('2026-03-05T00:00:00Z'));
    expect(await rowsOf('org_deleted')).toBe(1);
    await removeDeadSpend(test.warehouse, new Date('2026-03-09T00:00:00Z'));
    expect(await rowsOf('org_deleted')).toBe(0);
  });

  it('removes doubts with their load, and keeps those of a billing period that no run could read', async () => {
    const source = await newSource('org_doubted');
    const rows = Array.from({ length: 200 }, () => dayLine('2026-01-10', '0'));
    const bad = dayLine('2025-12-31', '1,000.00');
    const stored = () =>
      test.warehouse.query(
        `SELECT month, count(*) AS doubts, (SELECT count(*) FROM rejected_days WHERE org_id = $org) AS days,
           (SELECT count(*) FROM unread_periods WHERE org_id = $org) AS unread
         FROM load_doubts WHERE org_id = $org GROUP BY month ORDER BY month`,
        { org: 'org_doubted' },
      );
    await load('org_doubted', source, '1', '2026-02-01T00:00:00Z', { more: [...rows, bad] });
    await load('org_doubted', source, '2,0', '2026-02-02T00:00:00Z', { more: [...rows, bad] });
    expect(await stored()).toEqual([
      { month: '2025-12-01', doubts: '2', days: '3', unread: '2' },
      { month: '2026-01-01', doubts: '1', days: '3', unread: '2' },
    ]);
    // December was never loaded, so that what the second run found stays for good. The first run's finding is replaced.
    await removeDeadSpend(test.warehouse, new Date('2026-02-10T00:00:00Z'));
    expect(await stored()).toEqual([
      { month: '2025-12-01', doubts: '1', days: '2', unread: '1' },
      { month: '2026-01-01', doubts: '1', days: '2', unread: '1' },
    ]);
    const december = dayLine('2025-12-31', '1');
    await load('org_doubted', source, '1', '2026-02-11T00:00:00Z', { more: [...rows, december] });
    await removeDeadSpend(test.warehouse, new Date('2026-02-20T00:00:00Z'));
    expect(await stored()).toEqual([]);
  });
});
