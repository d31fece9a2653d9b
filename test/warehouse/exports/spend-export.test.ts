import { readdir } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { sha256Of } from '../../../warehouse/engine/backup/manifest.ts';
import { textRows, withParquetFile, type ExportRows } from '../../../warehouse/exports/export-rows.ts';
import { spendExport } from '../../../warehouse/exports/spend-export.ts';
import { dayLine, focusCsv } from '../../support/exports/focus-export.ts';
import { describeOnBothEngines } from '../../support/warehouse/engines.ts';
import { loadText, newOrganisation, newSource, NOW } from '../../support/warehouse/tenant.ts';
import { withOpened } from '../../support/with-opened.ts';

/**
 * An export of more lines than one run of its statement reads. The bill of January has one line of 1 dollar on each of four days.
 * Then the 10th to the 12th have 600,000 more lines each, of a tenth of a cent: 600 dollars a day.
 */
const MORE = 600_000;
const BILL = ['2026-01-05', '2026-01-10', '2026-01-11', '2026-01-12'];

describeOnBothEngines('the export of much spend', (open) => {
  const test = withOpened(open);

  const { signal } = new AbortController();
  const costsOf = async (rows: ExportRows) => {
    const costs: unknown[][] = [];
    for await (const batch of textRows(test.warehouse, rows, signal).batches)
      costs.push(
        ...batch.map(({ ChargePeriodStart, EffectiveCost }) => [ChargePeriodStart, Number(EffectiveCost)]),
      );
    return costs;
  };
  const files = async () =>
    (await readdir(test.settings.spillDirectory)).filter((file) => file.startsWith('export'));

  it('divides the days, and has the rows of all in order as CSV and as Parquet', async () => {
    const { warehouse } = test;
    const organisation = await newOrganisation(warehouse);
    const source = await newSource(warehouse, organisation.id);
    const bill = focusCsv(BILL.map((day) => dayLine(day, '1')));
    await loadText(test, { orgId: organisation.id, sourceId: source.id }, bill);
    const exported = () =>
      spendExport({
        warehouse,
        organisation,
        start: '2026-01',
        end: '2026-02',
        now: NOW,
        noteUpdates: () => undefined,
      });
    const small = await exported();
    expect(small).toMatchObject({ runs: [{ start: '2026-01-01', end: '2026-02-28' }] });
    const day = (date: string, cost: number) => [`${date}T00:00:00.000Z`, cost];
    expect(await costsOf(small)).toEqual(BILL.map((date) => day(date, 1)));

    await warehouse.run(
      `INSERT INTO cloud_spend SELECT cloud_spend.* REPLACE (CAST(0.001 AS DECIMAL(38,15)) AS cost) FROM cloud_spend, range(${MORE})
       WHERE org_id = $org AND day > '2026-01-05'`,
      { org: organisation.id },
    );
    const large = await exported();
    // The first two days with more lines go beyond a million.
    expect(large).toMatchObject({
      runs: [
        { start: '2026-01-01', end: '2026-01-11' },
        { start: '2026-01-12', end: '2026-02-28' },
      ],
    });
    const expected = BILL.map((date, at) => day(date, at === 0 ? 1 : 601));
    expect(await costsOf(large)).toEqual(expected);
    const read = (path: string | null) =>
      warehouse.query(
        `SELECT ChargePeriodStart AS day, CAST(EffectiveCost AS DOUBLE) AS cost FROM read_parquet($path)`,
        { path },
      );
    const written = new Set<string>();
    for (const rows of [large, await exported()])
      await withParquetFile(warehouse, rows, [], signal, async (path) => {
        expect(await files()).toHaveLength(1);
        expect(await read(path)).toEqual(
          BILL.map((date, at) => ({ day: `${date} 00:00:00+00`, cost: at === 0 ? 1 : 601 })),
        );
        written.add(await sha256Of(path ?? ''));
      });
    expect(written.size).toBe(1);
    expect(await files()).toEqual([]);
  });
});
