import { describe, expect, it } from 'vitest';
import { focusCsv } from '../../../support/exports/focus-export.ts';
import {
  detailedTable,
  focusLine,
  focusTableOf,
  standardTable,
  textTable,
  type GoogleCharge,
} from '../../../support/exports/google-bill.ts';
import { lacking } from '../../../support/needs.ts';
import { openDuckDb } from '../../../support/warehouse/engines.ts';
import { choose } from '../../../support/warehouse/spend-choices.ts';
import { loadText, newOrganisation, newSource } from '../../../support/warehouse/tenant.ts';
import { withOpened } from '../../../support/with-opened.ts';
import { startGoogle } from '../../../support/fakes/bigquery/fake-google.ts';
import { ingestRows, newTableSource, storedBill } from './google-source.ts';

const MACHINE = {
  id: '//compute.googleapis.com/projects/123456/zones/europe-west3-a/instances/4711',
  name: 'web-1',
};

/** A line of a FOCUS file. */
const USUAL = {
  BillingPeriodStart: '2026-01-01T00:00:00Z',
  BillingPeriodEnd: '2026-02-01T00:00:00Z',
  ChargePeriodStart: '2026-01-10 05:00:00',
  ChargePeriodEnd: '2026-01-10 06:00:00',
  ChargeCategory: 'Usage',
  ProviderName: 'AWS',
  SubAccountId: '1111',
  BillingCurrency: 'USD',
  ResourceId: 'arn:aws:ec2:eu-central-1:1111:instance/i-1',
  CommitmentDiscountId: 'NULL',
  Tags: 'NULL',
};

/** A bill with all that Google's bills have: hours, credits, taxes of a month, charges of no project, and other months. */
const CHARGES: GoogleCharge[] = [
  {
    from: '2026-01-10T05:00:00Z',
    to: '2026-01-10T06:00:00Z',
    cost: '0.123456',
    labels: { team: 'search', env: 'prod' },
  },
  {
    from: '2026-01-10T06:00:00Z',
    to: '2026-01-10T07:00:00Z',
    cost: '0.1',
    credits: ['-0.02', '-0.003'],
    labels: { team: 'search' },
  },
  {
    from: '2026-01-10T07:00:00Z',
    to: '2026-01-10T08:00:00Z',
    cost: '0.2',
    labels: { team: 'web', ' env ': 'test' },
  },
  {
    from: '2026-01-11T00:00:00Z',
    to: '2026-01-12T00:00:00Z',
    cost: '7',
    resource: MACHINE,
    zone: 'europe-west3-a',
  },
  {
    from: '2026-01-12T00:00:00Z',
    to: '2026-01-12T01:00:00Z',
    cost: '-1.5',
    project: 'lab',
    service: 'BigQuery',
  },
  {
    from: '2026-01-01T08:00:00Z',
    to: '2026-02-01T08:00:00Z',
    cost: '10',
    costType: 'tax',
    project: null,
    invoice: '202601',
  },
  {
    from: '2026-01-01T08:00:00Z',
    to: '2026-02-01T08:00:00Z',
    cost: '10',
    costType: 'tax',
    project: null,
    invoice: '202601',
  },
  { from: '2026-01-31T20:00:00Z', to: '2026-01-31T21:00:00Z', cost: '3', invoice: '202602' },
  {
    from: '2026-02-01T20:00:00Z',
    to: '2026-02-01T21:00:00Z',
    cost: '4',
    resource: { id: '//storage.googleapis.com/projects/_/buckets/b', name: 'b' },
  },
];

describe.skipIf(lacking('sqlglot') !== '')(`a bill in a table of BigQuery${lacking('sqlglot')}`, () => {
  const test = withOpened(openDuckDb);
  const google = withOpened(startGoogle);

  /** Loads the charges as a FOCUS file, with the same choices. */
  async function storedFile(
    charges: readonly GoogleCharge[],
    change: (line: ReturnType<typeof focusLine>) => object = (line) => line,
  ) {
    const { id: orgId } = await newOrganisation(test.warehouse);
    const { id: sourceId } = await newSource(test.warehouse, orgId);
    await collect(orgId);
    const result = await loadText(
      test,
      { orgId, sourceId },
      focusCsv(charges.map((charge) => ({ ...focusLine(charge), ...change(focusLine(charge)) }))),
    );
    return { result, stored: await storedBill(test, orgId) };
  }

  const collect = (orgId: string) =>
    choose(
      test,
      orgId,
      { kind: 'tag', cloud: 'gcp', choice: 'team', firstDay: '2025-01-01' },
      { kind: 'split', cloud: 'gcp', account: 'shop', choice: 'service', firstDay: '2025-01-01' },
    );

  it('counts like the same bill in a file, to the last digit', async () => {
    const tenant = await newTableSource(test);
    await collect(tenant.orgId);
    const read = await ingestRows(test, google, tenant, detailedTable(CHARGES));
    const file = await storedFile(CHARGES);
    expect(read).toMatchObject({
      rowsRead: 9,
      rowsRejected: 0,
      months: file.result.months,
      costTotal: '32.900456000000000',
    });
    expect(await storedBill(test, tenant.orgId)).toEqual(file.stored);
  });

  it('lists services by the days of lines, not by the month of their invoice', async () => {
    const december = { from: '2025-12-30T00:00:00Z', to: '2025-12-30T01:00:00Z' };
    const charges: GoogleCharge[] = [
      { ...december, cost: '5', invoice: '202512' },
      { ...december, cost: '1', invoice: '202601', service: 'BigQuery' },
    ];
    const tenant = await newTableSource(test);
    await collect(tenant.orgId);
    await ingestRows(test, google, tenant, detailedTable(charges));
    const { values, ...stored } = await storedBill(test, tenant.orgId);
    expect(values).toMatchObject([
      { billing_period: '2025-12-01', split_value: 'Compute Engine', cost: '5.000000000000000' },
      { billing_period: '2026-01-01', split_value: 'BigQuery', cost: '1.000000000000000' },
    ]);
    expect({ values, ...stored }).toEqual((await storedFile(charges)).stored);
  });

  it('has no resources in a table of standard usage cost', async () => {
    const tenant = await newTableSource(test);
    await collect(tenant.orgId);
    await ingestRows(test, google, tenant, standardTable(CHARGES));
    const file = await storedFile(CHARGES, () => ({ ResourceId: 'NULL', ResourceName: 'NULL' }));
    expect(await storedBill(test, tenant.orgId)).toEqual(file.stored);
  });

  it('can be a FOCUS file that someone has loaded, with commitments, and with bills without EffectiveCost', async () => {
    const lines = [
      // Of a commitment that is amortised, the purchase counts 0.
      {
        ...USUAL,
        ChargeCategory: 'Purchase',
        CommitmentDiscountId: 'sp-1',
        EffectiveCost: '30',
        BilledCost: '30',
      },
      {
        ...USUAL,
        CommitmentDiscountId: 'sp-1',
        EffectiveCost: '1',
        BilledCost: '0',
        Tags: '{"team": "search"}',
      },
      {
        ...USUAL,
        CommitmentDiscountId: 'sp-1',
        EffectiveCost: '1',
        BilledCost: '0',
        Tags: '{"team": "web"}',
      },
      // Azure's bill of the month has no EffectiveCost, so that its BilledCost counts.
      {
        ...USUAL,
        ProviderName: 'Microsoft',
        EffectiveCost: '0',
        BilledCost: '4',
        ResourceId: '/subscriptions/1/resourceGroups/Shop/providers/x',
      },
      { ...USUAL, ProviderName: 'Microsoft', EffectiveCost: 'NULL', BilledCost: '0.5', ResourceId: 'NULL' },
    ];
    const tenant = await newTableSource(test, 'focus');
    const { id: orgId } = await newOrganisation(test.warehouse);
    const { id: sourceId } = await newSource(test.warehouse, orgId);
    for (const org of [tenant.orgId, orgId]) {
      await choose(
        test,
        org,
        { kind: 'tag', cloud: 'aws', choice: 'team', firstDay: '2025-01-01' },
        { kind: 'split', cloud: 'azure', account: '1111', choice: 'resource_group', firstDay: '2025-01-01' },
      );
    }
    const read = await ingestRows(test, google, tenant, textTable(lines));
    const file = await loadText(
      test,
      { orgId, sourceId },
      focusCsv(lines, Object.keys({ ...USUAL, EffectiveCost: '', BilledCost: '' })),
    );
    expect(read).toMatchObject({ rowsRead: 5, costTotal: '6.500000000000000', notes: file.notes });
    expect(file.notes).toHaveLength(2);
    expect(await storedBill(test, tenant.orgId)).toEqual(await storedBill(test, orgId));
  });

  it('notes credits that only the cost column of FOCUS can have', async () => {
    const tenant = await newTableSource(test, 'focus');
    const { notes } = await ingestRows(test, google, tenant, focusTableOf(CHARGES));
    expect(notes).toEqual([
      'billing period 2026-01-01: x_Credits has -0.023 USD of credits in 1 rows of gcp; only the cost column counts, so check that it has these credits',
    ]);
  });

  it.each(['entries', 'json', 'text'] as const)(
    'can have the columns of FOCUS, with tags as %s',
    async (tags) => {
      const tenant = await newTableSource(test, 'focus');
      await collect(tenant.orgId);
      await ingestRows(test, google, tenant, focusTableOf(CHARGES, tags));
      expect(await storedBill(test, tenant.orgId)).toEqual((await storedFile(CHARGES)).stored);
    },
  );

  it('has tags of Azure in any case, and those of other clouds exactly', async () => {
    const charges: GoogleCharge[] = [
      { cost: '60', labels: { Team: 'web' } },
      { cost: '40', labels: { team: 'web' } },
    ];
    const taggedAs = async (provider: string, cloud: 'azure' | 'gcp') => {
      const { fields, rows } = focusTableOf(charges);
      const tenant = await newTableSource(test, 'focus');
      await choose(test, tenant.orgId, { kind: 'tag', cloud, choice: 'Team', firstDay: '2025-12-01' });
      await ingestRows(test, google, tenant, {
        fields,
        rows: rows.map((row) => ({ ...row, ProviderName: provider })),
      });
      const { spend } = await storedBill(test, tenant.orgId);
      return spend.map((row): [unknown, number] => [
        Reflect.get(row, 'tag_value'),
        Number(Reflect.get(row, 'cost')),
      ]);
    };
    expect(await taggedAs('Microsoft', 'azure')).toEqual([['web', 100]]);
    expect(await taggedAs('Google Cloud', 'gcp')).toEqual([
      ['web', 60],
      [null, 40],
    ]);
  });
});
