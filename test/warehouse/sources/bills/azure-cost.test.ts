import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { AZURE_CHARGES, AZURE_TOTALS } from '../../../support/exports/bills/azure-charges.ts';
import {
  customerDetails,
  enterpriseDetails,
  germanDetails,
  typedDetails,
} from '../../../support/exports/bills/azure-details.ts';
import { focusLine } from '../../../support/exports/bills/charges.ts';
import { ingestedBill, type StoredBill } from '../../../support/exports/bills/ingested-bill.ts';
import { focusCsv } from '../../../support/exports/focus-export.ts';
import { writeTable } from '../../../support/warehouse/duckdb-files.ts';
import { describeOnBothEngines } from '../../../support/warehouse/engines.ts';
import type { Chosen } from '../../../support/warehouse/spend-choices.ts';
import { money, writeFiles } from '../../../support/warehouse/tenant.ts';
import { withOpened } from '../../../support/with-opened.ts';

const CHOICES: Chosen[] = [
  { kind: 'tag', cloud: 'azure', choice: 'team', firstDay: '2025-12-01' },
  { kind: 'split', cloud: 'azure', account: 'sub Usage', choice: 'service', firstDay: '2025-12-01' },
  { kind: 'split', cloud: 'azure', account: 'reserved', choice: 'resource_group', firstDay: '2025-12-01' },
];

const FORMS = {
  'an enterprise agreement': enterpriseDetails,
  'a customer agreement': customerDetails,
  'a German portal': germanDetails,
} as const;
const COSTS = { EffectiveCost: 'amortised', BilledCost: 'actual' } as const;
type CostColumn = keyof typeof COSTS;

/** The same organisation's bill in Azure's own formats and as FOCUS, type of charge by type of charge. */
describeOnBothEngines('Azure cost details', (open, onDuckDb) => {
  const test = withOpened(open);

  const FOCUS = focusCsv(AZURE_CHARGES.map((charge) => focusLine('Microsoft', charge)));
  const ingested = (
    kind: 'focus' | 'azure_cost',
    files: Record<string, string | Buffer>,
    costColumn: CostColumn = 'EffectiveCost',
  ) => ingestedBill(test, kind, files, { choices: CHOICES, options: { cost_column: costColumn } });
  /** The two sets have no line that costs nothing by its nature, and FOCUS has. Nothing else differs. */
  const withCost = ({ spend, units, accounts, loads }: StoredBill) => {
    const costly = spend.filter(({ cost }) => cost !== money('0'));
    return {
      spend: costly,
      units: units
        .map(({ unit, spend_days: days, cost }) => ({ unit, days, cost }))
        .filter(({ days }) => days !== '0'),
      accounts: accounts.filter(({ account }) => costly.some((row) => row['account'] === account)),
      loads,
    };
  };

  for (const [form, detailsOf] of Object.entries(FORMS))
    it(`cost what their FOCUS export does, type of charge by type of charge: ${form}`, async () => {
      for (const costColumn of ['EffectiveCost', 'BilledCost'] as const) {
        const expected = await ingested('focus', { 'focus.csv': FOCUS }, costColumn);
        const details = await ingested(
          'azure_cost',
          { 'part_0.csv.gz': detailsOf(AZURE_CHARGES, COSTS[costColumn]) },
          costColumn,
        );
        expect(withCost(details.stored)).toEqual(withCost(expected.stored));
        expect(details.run).toMatchObject({
          status: 'completed',
          cost_total: money(AZURE_TOTALS[costColumn]),
          notes: [],
        });
      }
    });

  onDuckDb(() => {
    it('cost the same in Parquet', async () => {
      const [csv = ''] = await writeFiles(test, {
        'details.csv': customerDetails(AZURE_CHARGES, 'amortised'),
      });
      await writeTable(`${csv}.parquet`, typedDetails(csv));
      const inCsv = await ingested('azure_cost', {
        'details.csv': customerDetails(AZURE_CHARGES, 'amortised'),
      });
      const { stored } = await ingested('azure_cost', { 'part_0.parquet': await readFile(`${csv}.parquet`) });
      expect(stored).toEqual(inCsv.stored);
    });

    const BOTH: Record<string, [actual: string, amortised: string]> = {
      'their names': ['shop-actual.csv', 'shop-amortized.csv'],
      'the names of their folders': [
        'ActualCost/20260101-20260131/1/part.csv',
        'AmortizedCost/20260101-20260131/2/part.csv',
      ],
      'nothing but their lines': ['a.csv', 'b.csv'],
    };
    for (const [by, [actual, amortised]] of Object.entries(BOTH))
      it(`of both sets cost those of one, told apart by ${by}`, async () => {
        const files = {
          [actual]: enterpriseDetails(AZURE_CHARGES, 'actual'),
          [amortised]: enterpriseDetails(AZURE_CHARGES, 'amortised'),
        };
        for (const [costColumn, other] of [
          ['EffectiveCost', actual],
          ['BilledCost', amortised],
        ] as const) {
          const { run } = await ingested('azure_cost', files, costColumn);
          expect(run?.cost_total).toBe(money(AZURE_TOTALS[costColumn]));
          expect(run?.notes).toEqual([
            expect.stringMatching(
              new RegExp(`^files with Azure's .* cost were left out, .*${other.replaceAll('.', '\\.')}$`),
            ),
          ]);
        }
      });

    it('of one set are refused for the other cost, with what to do', async () => {
      const of = (name: string, set: 'actual' | 'amortised', costColumn: CostColumn) =>
        ingested('azure_cost', { [name]: enterpriseDetails(AZURE_CHARGES, set) }, costColumn);
      await expect(of('a.csv', 'actual', 'EffectiveCost')).rejects.toThrow(
        "location: expected Azure's amortised cost, which EffectiveCost needs, got its actual cost; add an export of the amortised cost to " +
          'the location, or set options.cost_column to BilledCost; nothing was loaded',
      );
      await expect(of('a.csv', 'amortised', 'BilledCost')).rejects.toThrow(
        "expected Azure's actual cost, which BilledCost needs, got its amortised cost",
      );
      // Without commitments both sets are the same, and only the name says which one it is.
      const plain = enterpriseDetails(AZURE_CHARGES.slice(0, 3), 'actual');
      await expect(ingested('azure_cost', { 'actual.csv': plain })).rejects.toThrow('got its actual cost');
      expect((await ingested('azure_cost', { 'export.csv': plain })).run).toMatchObject({
        cost_total: money('12.8456789'),
      });
    });

    it('name the column of a cell that cannot be read', async () => {
      const bad = (from: string, to: string, details = enterpriseDetails) =>
        ingested('azure_cost', { 'a.csv': details(AZURE_CHARGES, 'amortised').replace(from, to) });
      await expect(bad('12.345678901', '"12,345678901"')).rejects.toThrow(
        /CostInBillingCurrency: expected a decimal number, got "12,345678901"/,
      );
      await expect(bad('01/10/2026', '13/10/2026')).rejects.toThrow(
        /Date: expected a UTC time, got "13\/10\/2026"/,
      );
      await expect(bad('10.01.2026', '10.13.2026', germanDetails)).rejects.toThrow(
        /Datum \(Date\): expected a UTC time, got "10.13.2026"/,
      );
      await expect(bad('"12,345678901"', '1a', germanDetails)).rejects.toThrow(
        /Kosten \(Cost\): expected a decimal number, got "1a"/,
      );
      await expect(bad('Date,', 'Day,')).rejects.toThrow(
        /a\.csv: mandatory column Date or UsageDateTime or UsageDate is missing/,
      );
    });
  });
});
