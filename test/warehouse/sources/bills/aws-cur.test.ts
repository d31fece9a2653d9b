import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { AWS_CHARGES, SPLIT_LINES, withNetCosts } from '../../../support/exports/bills/aws-charges.ts';
import { asParquet, cur2Csv, olderCsv } from '../../../support/exports/bills/aws-reports.ts';
import { focusLine, type Charge } from '../../../support/exports/bills/charges.ts';
import { ingestedBill, type StoredBill } from '../../../support/exports/bills/ingested-bill.ts';
import { focusCsv } from '../../../support/exports/focus-export.ts';
import { writeTable } from '../../../support/warehouse/duckdb-files.ts';
import { describeOnBothEngines } from '../../../support/warehouse/engines.ts';
import type { Chosen } from '../../../support/warehouse/spend-choices.ts';
import { money, writeFiles } from '../../../support/warehouse/tenant.ts';
import { withOpened } from '../../../support/with-opened.ts';

const CHOICES: Chosen[] = [
  { kind: 'tag', cloud: 'aws', choice: 'team', firstDay: '2025-12-01' },
  ...['Usage', 'Fee', 'SavingsPlanCoveredUsage'].map((account) => ({
    kind: 'split' as const,
    cloud: 'aws',
    account,
    choice: 'service',
    firstDay: '2025-12-01',
  })),
];

const FORMS = [
  'CUR 2.0 as CSV',
  'CUR 2.0 as Parquet',
  'an older report as CSV',
  'an older report as Parquet',
] as const;

/** The same organisation's bill in AWS's own formats and as FOCUS, line type by line type. */
describeOnBothEngines('an AWS cost and usage report', (open, onDuckDb) => {
  const test = withOpened(open);

  /** Returns the file of a report in one of its forms. */
  const reportOf = async (form: (typeof FORMS)[number], charges: readonly Charge[], categories = {}) => {
    const text = form.startsWith('CUR') ? cur2Csv(charges, categories) : olderCsv(charges, categories);
    if (form.endsWith('CSV')) return { 'report-1.csv.gz': text };
    const [csv = ''] = await writeFiles(test, { 'report.csv': text });
    const [header = ''] = text.split('\n');
    await writeTable(`${csv}.parquet`, asParquet(csv, header.split(',')));
    return { 'report-1.snappy.parquet': await readFile(`${csv}.parquet`) };
  };
  const focusOf = (charges: readonly Charge[]) => ({
    'focus.csv': focusCsv(charges.map((one) => focusLine('AWS', one))),
  });
  const ingested = (kind: 'focus' | 'aws_cur', files: Record<string, string | Buffer>, cost_column: string) =>
    ingestedBill(test, kind, files, { choices: CHOICES, options: { cost_column } });
  /** Older reports name no accounts, and Athena spells tags in its own way. */
  const comparable = ({ accounts, values, ...stored }: StoredBill, form: string) => ({
    ...stored,
    ...(form.startsWith('CUR') ? { accounts } : {}),
    values: form.endsWith('older report as Parquet') ? [] : values,
  });

  for (const form of FORMS)
    it(`costs what its FOCUS export does, line type by line type: ${form}`, async () => {
      for (const costColumn of ['EffectiveCost', 'BilledCost']) {
        const expected = await ingested('focus', focusOf(AWS_CHARGES), costColumn);
        const report = await ingested('aws_cur', await reportOf(form, AWS_CHARGES), costColumn);
        expect(comparable(report.stored, form)).toEqual(comparable(expected.stored, form));
        expect(report.run).toMatchObject({ status: 'completed', rows_read: AWS_CHARGES.length, notes: [] });
      }
    });

  it('costs the known sum', async () => {
    const total = async (costColumn: string) =>
      (await ingested('aws_cur', { 'cur.csv': cur2Csv(AWS_CHARGES) }, costColumn)).run?.cost_total;
    // 0.0116 − 0.0016 + 12.5 + 0.7 + 0.3 + 0.05 + 3.123 + 29 + 1.9 − 7 − 2 − 0.5 + 0.3
    expect(await total('EffectiveCost')).toBe(money('38.383'));
    // 0.0116 − 0.0016 + 12.5 + 1 − 1 + 1.1 + 876 + 10 + 500 + 29 + 1.9 − 7 − 2 − 876 − 0.5 + 0.3
    expect(await total('BilledCost')).toBe(money('545.31'));
  });

  onDuckDb(() => {
    for (const form of FORMS) {
      it(`costs the net amounts of a private discount: ${form}`, async () => {
        const expected = await ingested('focus', focusOf(AWS_CHARGES), 'EffectiveCost');
        const report = await ingested(
          'aws_cur',
          await reportOf(form, withNetCosts(AWS_CHARGES)),
          'EffectiveCost',
        );
        expect(comparable(report.stored, form)).toEqual(comparable(expected.stored, form));
      });

      it(`costs an instance once if its pods have lines, too: ${form}`, async () => {
        const { stored } = await ingested(
          'aws_cur',
          await reportOf(form, [...AWS_CHARGES, ...SPLIT_LINES]),
          'EffectiveCost',
        );
        const alone = await ingested('aws_cur', await reportOf(form, AWS_CHARGES), 'EffectiveCost');
        expect(stored.loads).toEqual(alone.stored.loads);
        // 0.12 + 0.03 + 0.1 + 0.05 is what the instance costs.
        expect(
          stored.spend
            .filter(({ account }) => account === 'Cluster')
            .map(({ resource_id, cost }) => [resource_id, cost]),
        ).toEqual([
          ['i-3333', money('0.3')],
          [null, money('0')],
        ]);
      });

      it(`has cost categories as tags: ${form}`, async () => {
        const report = await reportOf(form, AWS_CHARGES.slice(0, 3), { Unit: 'retail, north' });
        const key = form === 'an older report as Parquet' ? 'category:unit' : 'category:Unit';
        const { stored } = await ingestedBill(test, 'aws_cur', report, {
          choices: [{ kind: 'tag', cloud: 'aws', choice: key, firstDay: '2025-12-01' }],
        });
        expect(new Set(stored.spend.map(({ tag_value: value }) => value))).toEqual(
          new Set(['retail, north']),
        );
        expect(stored.values).toContainEqual(
          expect.objectContaining({ tag_key: key, tag_value: 'retail, north', cost: money('12.51') }),
        );
      });
    }
  });
});
