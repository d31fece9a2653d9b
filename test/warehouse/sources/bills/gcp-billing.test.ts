import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { focusLine } from '../../../support/exports/bills/charges.ts';
import {
  GOOGLE_CHARGES,
  GOOGLE_TOTAL,
  nestedUsageCosts,
  usageCosts,
} from '../../../support/exports/bills/google-charges.ts';
import { ingestedBill } from '../../../support/exports/bills/ingested-bill.ts';
import { focusCsv } from '../../../support/exports/focus-export.ts';
import { writeTable } from '../../../support/warehouse/duckdb-files.ts';
import { describeOnBothEngines } from '../../../support/warehouse/engines.ts';
import type { Chosen } from '../../../support/warehouse/spend-choices.ts';
import { money, writeFiles } from '../../../support/warehouse/tenant.ts';
import { withOpened } from '../../../support/with-opened.ts';

const CHOICES: Chosen[] = [
  { kind: 'tag', cloud: 'gcp', choice: 'team', firstDay: '2025-12-01' },
  { kind: 'split', cloud: 'gcp', account: 'shop-prod', choice: 'service', firstDay: '2025-12-01' },
];

/** The same organisation's bill in Google's usage cost table and as FOCUS. */
describeOnBothEngines("a table of Google's usage costs", (open, onDuckDb) => {
  const test = withOpened(open);

  const ingested = (kind: 'focus' | 'gcp_billing', files: Record<string, string | Buffer>) =>
    ingestedBill(test, kind, files, { choices: CHOICES });
  const FOCUS = focusCsv(
    GOOGLE_CHARGES.map((charge) => ({
      ...focusLine('Google Cloud', charge),
      SubAccountName: charge.accountName,
      ResourceName: charge.native['resource_name'] ?? 'NULL',
      AvailabilityZone: charge.native['zone'] ?? 'NULL',
    })),
  );
  const parquet = async (isOlder: boolean) => {
    const [csv = ''] = await writeFiles(test, { 'usage.csv': usageCosts(GOOGLE_CHARGES) });
    await writeTable(`${csv}.parquet`, nestedUsageCosts(csv, isOlder));
    return { 'usage.parquet': await readFile(`${csv}.parquet`) };
  };

  const FORMS = {
    CSV: () => Promise.resolve({ 'usage.csv.gz': usageCosts(GOOGLE_CHARGES) }),
    Parquet: () => parquet(false),
    'Parquet with lists in the older form': () => parquet(true),
  };
  for (const [form, files] of Object.entries(FORMS))
    it(`costs what its FOCUS export does, with all credits: ${form}`, async () => {
      const expected = await ingested('focus', { 'focus.csv': FOCUS });
      const { run, stored } = await ingested('gcp_billing', await files());
      expect(stored).toEqual(expected.stored);
      expect(run).toMatchObject({
        status: 'completed',
        rows_read: GOOGLE_CHARGES.length,
        cost_total: money(GOOGLE_TOTAL),
        notes: [],
      });
    });

  onDuckDb(() => {
    it('names the column of a cell that cannot be read', async () => {
      const bad = (from: string | RegExp, to: string) =>
        ingested('gcp_billing', { 'a.csv': usageCosts(GOOGLE_CHARGES).replace(from, to) });
      await expect(bad('1.25', '1e99')).rejects.toThrow(
        /cost: expected a decimal number of at most 1e15, got "1e99"/,
      );
      await expect(bad(/"\[\{""name"".*?\]"/, '"[{""amount"":""a""}]"')).rejects.toThrow(
        /credits: expected a decimal number, got "\[\{"amount":"a"\}\]"/,
      );
      await expect(bad('202601', '2026-01')).rejects.toThrow(
        /invoice.month: expected a UTC time, got "2026-01"/,
      );
      await expect(bad('usage_end_time', 'end')).rejects.toThrow(
        /mandatory column usage_end_time is missing/,
      );
    });
  });
});
