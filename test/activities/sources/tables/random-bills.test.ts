import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FOCUS_EXPORTS, SEED } from '../../../support/effort.ts';
import { focusCsv } from '../../../support/exports/focus-export.ts';
import {
  detailedTable,
  EXPORTED_ON,
  focusLine,
  focusTableOf,
  type GoogleCharge,
} from '../../../support/exports/google-bill.ts';
import { lacking } from '../../../support/needs.ts';
import { COUNTED_TEST_MS } from '../../../support/patience.ts';
import { openDuckDb } from '../../../support/warehouse/engines.ts';
import { choose } from '../../../support/warehouse/spend-choices.ts';
import { loadPaths, newOrganisation, newSource, writeFiles } from '../../../support/warehouse/tenant.ts';
import { withOpened } from '../../../support/with-opened.ts';
import { startGoogle } from '../../../support/fakes/bigquery/fake-google.ts';
import { ingestRows, newTableSource, storedBill } from './google-source.ts';

const BEGIN = Date.parse('2025-12-30T00:00:00Z');
const HOUR = 3_600_000;

const at = (ms: number): string => new Date(ms).toISOString().replace('.000Z', 'Z');

/** Six decimals, as Google writes them. */
const amount = fc
  .tuple(fc.integer({ min: -1_000, max: 100_000 }), fc.integer({ min: 0, max: 999_999 }))
  .map(([whole, decimals]) => `${whole}.${String(decimals).padStart(6, '0')}`);

/** Hours, days, Pacific days and months. */
const hours = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(0, 1, 24) },
  { weight: 1, arbitrary: fc.integer({ min: 2, max: 24 * 40 }) },
);

const charge: fc.Arbitrary<GoogleCharge> = fc
  .record({
    start: fc.integer({ min: 0, max: 40 * 24 }),
    hours,
    invoice: fc.constantFrom('202512', '202601', '202602'),
    project: fc.constantFrom('shop', 'lab', null),
    service: fc.constantFrom('Compute Engine', 'BigQuery', 'Cloud Storage'),
    resource: fc.constantFrom(
      null,
      { id: '//compute.googleapis.com/projects/1/zones/europe-west3-a/instances/1', name: 'web-1' },
      { id: '//compute.googleapis.com/projects/1/zones/europe-west3-a/instances/2', name: 'web-2' },
      { id: '//storage.googleapis.com/projects/_/buckets/b', name: 'b' },
    ),
    zone: fc.constantFrom('europe-west3-a', 'europe-west3', null),
    labels: fc.dictionary(
      fc.constantFrom('team', ' team', 'env', 'Team'),
      fc.constantFrom('search', 'web', 'é', ''),
    ),
    cost: amount,
    credits: fc.array(amount, { maxLength: 3 }),
    costType: fc.constantFrom('regular', 'regular', 'tax', 'adjustment', 'rounding_error'),
  })
  .map(({ start, hours: length, ...rest }) => ({
    ...rest,
    from: at(BEGIN + start * HOUR),
    to: at(BEGIN + (start + length) * HOUR),
  }));

describe.skipIf(lacking('sqlglot') !== '')(`random bills of Google${lacking('sqlglot')}`, () => {
  const test = withOpened(openDuckDb);
  const google = withOpened(startGoogle);

  const collect = (orgId: string) =>
    choose(
      test,
      orgId,
      { kind: 'tag', cloud: 'gcp', choice: 'team', firstDay: '2026-01-05' },
      { kind: 'split', cloud: 'gcp', account: 'shop', choice: 'service', firstDay: '2025-01-01' },
    );

  it('count alike in a table and in a file', { timeout: COUNTED_TEST_MS }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(charge, { minLength: 1, maxLength: 60 }),
        fc.constantFrom('gcp_billing', 'focus'),
        fc.constantFrom('EffectiveCost', 'BilledCost'),
        async (charges, kind, cost_column) => {
          const tenant = await newTableSource(test, kind, { cost_column });
          await collect(tenant.orgId);
          const table = kind === 'focus' ? focusTableOf(charges) : detailedTable(charges);
          const read = await ingestRows(test, google, tenant, table);
          const { id: orgId } = await newOrganisation(test.warehouse);
          const { id: sourceId } = await newSource(test.warehouse, orgId, { options: { cost_column } });
          await collect(orgId);
          const files = await writeFiles(test, { 'focus.csv': focusCsv(charges.map(focusLine)) });
          const file = await loadPaths(
            test,
            { orgId, sourceId },
            files,
            { costColumn: cost_column },
            { writtenOn: EXPORTED_ON },
          );
          expect(read).toMatchObject({
            rowsRead: charges.length,
            months: file.months,
            costTotal: file.costTotal,
          });
          const { doubts: _, ...stored } = await storedBill(test, tenant.orgId);
          const { doubts: __, ...expected } = await storedBill(test, orgId);
          expect(stored).toEqual(expected);
        },
      ),
      { numRuns: FOCUS_EXPORTS, seed: SEED },
    );
  });
});
