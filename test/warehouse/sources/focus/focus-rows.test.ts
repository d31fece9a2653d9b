import { describe, expect, it } from 'vitest';
import { openDuckDb } from '../../../support/warehouse/engines.ts';
import { dayLine, focusCsv, type FocusLine } from '../../../support/exports/focus-export.ts';
import {
  loadText,
  money,
  newOrganisation,
  newSource,
  spendByAccount,
  spendByDay,
  type LoadChanges,
} from '../../../support/warehouse/tenant.ts';
import { withOpened } from '../../../support/with-opened.ts';

/** A load computes its rows in DuckDB, whatever stores them. `focus-publishing` stores them on both engines. */
describe('the rows of a FOCUS export', () => {
  const test = withOpened(openDuckDb);

  /** Loads these lines for a new organisation. */
  const loaded = async (
    lines: readonly FocusLine[],
    changes: LoadChanges = {},
    columns: readonly string[] | null = null,
  ) => {
    const { id: orgId } = await newOrganisation(test.warehouse);
    const { id: sourceId } = await newSource(test.warehouse, orgId);
    const result = await loadText(test, { orgId, sourceId }, focusCsv(lines, columns), changes);
    return {
      orgId,
      result,
      byDay: await spendByDay(test.warehouse, orgId),
      byAccount: await spendByAccount(test.warehouse, orgId),
    };
  };
  const rowsOf = <Row extends object>(sql: string, orgId: string): Promise<Row[]> =>
    test.warehouse.query<Row>(sql, { org: orgId });

  it('have times in many forms, all read as UTC instants', async () => {
    const starts: [text: string, day: string][] = [
      ['2026-01-10T00:00:00Z', '2026-01-10'],
      ['2026-01-10 00:00:00', '2026-01-10'],
      ['2026-01-10T00:00:00', '2026-01-10'],
      ['2026-01-10 00:00:00Z', '2026-01-10'],
      ['2026-01-10T00:00:00.000Z', '2026-01-10'],
      ['2026-01-10T00:00:00.0000000Z', '2026-01-10'], // seven digits, as .NET writes them
      ['2026-01-10 00:00:00.000', '2026-01-10'],
      ['2026-01-10T00:00Z', '2026-01-10'],
      ['2026-01-10T00:00', '2026-01-10'],
      ['2026-01-10 00:00', '2026-01-10'],
      ['2026-01-10', '2026-01-10'],
      ['2026-01-10 00:00:00 UTC', '2026-01-10'],
      ['2026-01-10T00:00:00+00:00', '2026-01-10'],
      ['2026-01-10T01:59:59+02:00', '2026-01-09'], // 23:59:59 the day before
      ['2026-01-10T02:00:00+02:00', '2026-01-10'],
      ['2026-01-10T01:59+02:00', '2026-01-09'],
      ['2026-01-10 01:59+02', '2026-01-09'], // as long as a time without an offset
      ['2026-01-10T01:59:59+0200', '2026-01-09'],
      ['2026-01-10 01:59:59.999+02:00', '2026-01-09'],
      ['2026-01-10T18:29:59-05:30', '2026-01-10'], // 23:59:59
      ['2026-01-10T18:30:00-05:30', '2026-01-11'],
      ['2026-01-10T05:44:59+05:45', '2026-01-09'],
    ];
    // A row that ends at its start is always inside one day. Each form has its own account.
    const { byAccount, result } = await loaded(
      starts.map(([text], index) =>
        dayLine('2026-01-10', '1', {
          ChargePeriodStart: text,
          ChargePeriodEnd: text,
          SubAccountId: `form ${index}`,
        }),
      ),
    );
    expect(
      starts.map(([text], index) => [text, Object.keys(byAccount[`form ${index}`] ?? {}).join()]),
    ).toEqual(starts);
    expect(result).toMatchObject({ rowsRead: starts.length, rowsRejected: 0 });
  });

  it('have one billing period in many forms of time', async () => {
    const forms = ['2026-01-01T00:00:00Z', '2026-01-01 00:00:00', '2026-01-01', '2026-01-01T02:00:00+02:00'];
    const { orgId } = await loaded(
      forms.map((form) => dayLine('2026-01-10', '1', { BillingPeriodStart: form })),
    );
    expect(
      await rowsOf(
        'SELECT billing_period, cost_total, rows_read FROM current_loads WHERE org_id = $org',
        orgId,
      ),
    ).toEqual([{ billing_period: '2026-01-01', cost_total: money('4'), rows_read: '4' }]);
  });

  it('add up to UTC days if they are hourly', async () => {
    const hour = (start: string, end: string, cost: string) =>
      dayLine('2026-01-10', cost, { ChargePeriodStart: start, ChargePeriodEnd: end });
    const { byDay } = await loaded([
      hour('2026-01-10T00:00:00Z', '2026-01-10T01:00:00Z', '1'),
      hour('2026-01-10T22:00:00Z', '2026-01-10T23:00:00Z', '2'),
      hour('2026-01-10T23:00:00Z', '2026-01-11T00:00:00Z', '4'), // its end is exclusive
      hour('2026-01-11T00:00:00Z', '2026-01-11T01:00:00Z', '8'),
      hour('2026-01-11T00:00:00Z', '2026-01-12T00:00:00Z', '16'), // a whole day is one day
    ]);
    expect(byDay).toEqual({ '2026-01-10': money('7'), '2026-01-11': money('24') });
  });

  it('are spread by seconds if they span days, and the last day takes the remainder', async () => {
    const span = (account: string, start: string, end: string, cost: string) =>
      dayLine('2026-01-01', cost, { SubAccountId: account, ChargePeriodStart: start, ChargePeriodEnd: end });
    const { byAccount, result } = await loaded([
      // A month's fee: 31 days of 10 ÷ 31 = 0.322580645161290|32…; the 31st has 10 − 30 × 0.322580645161290.
      span('fee', '2026-01-01T00:00:00Z', '2026-02-01T00:00:00Z', '10'),
      // 12 + 24 + 6 hours of 42: 100 × 12 ÷ 42 = 28.571428571428571|…, 100 × 24 ÷ 42 = 57.142857142857142|…
      span('odd', '2026-01-01T12:00:00Z', '2026-01-03T06:00:00Z', '100'),
      span('credit', '2026-01-01T12:00:00Z', '2026-01-03T06:00:00Z', '-100'),
      // Two equal rows are not one row of twice the cost: each has its own remainder.
      span('twice', '2026-01-01T12:00:00Z', '2026-01-03T06:00:00Z', '100'),
      span('twice', '2026-01-01T12:00:00Z', '2026-01-03T06:00:00Z', '100'),
      // One second on either side of midnight.
      span('midnight', '2026-01-01T23:59:59Z', '2026-01-02T00:00:01Z', '0.000000000000003'),
      // Two units of 10⁻¹⁵ over three days: units do not divide, so the last day takes both.
      span('tiny', '2026-01-01T00:00:00Z', '2026-01-04T00:00:00Z', '0.000000000000002'),
      span('huge', '2026-01-01T00:00:00Z', '2026-01-04T00:00:00Z', '1000000000000.000000000000001'),
    ]);
    const fee = Object.values(byAccount['fee'] ?? {});
    expect(fee).toHaveLength(31);
    expect(new Set(fee.slice(0, 30))).toEqual(new Set(['0.322580645161290']));
    expect(fee[30]).toBe('0.322580645161300'); // 10 − 9.6774193548387
    const odd = {
      '2026-01-01': '28.571428571428571',
      '2026-01-02': '57.142857142857142',
      '2026-01-03': '14.285714285714287', // 100 − 85.714285714285713
    };
    expect(byAccount['odd']).toEqual(odd);
    expect(byAccount['credit']).toEqual(
      Object.fromEntries(Object.entries(odd).map(([day, cost]) => [day, `-${cost}`])),
    );
    expect(byAccount['twice']).toEqual({
      '2026-01-01': '57.142857142857142',
      '2026-01-02': '114.285714285714284',
      '2026-01-03': '28.571428571428574',
    });
    expect(byAccount['midnight']).toEqual({
      '2026-01-01': '0.000000000000001',
      '2026-01-02': '0.000000000000002',
    });
    expect(byAccount['tiny']).toEqual({
      '2026-01-01': '0.000000000000000',
      '2026-01-02': '0.000000000000000',
      '2026-01-03': '0.000000000000002',
    });
    expect(byAccount['huge']).toEqual({
      '2026-01-01': '333333333333.333333333333333',
      '2026-01-02': '333333333333.333333333333333',
      '2026-01-03': '333333333333.333333333333335',
    });
    // 10 + 100 − 100 + 200 + 3 × 10⁻¹⁵ + 2 × 10⁻¹⁵ + 10¹² + 10⁻¹⁵
    expect(result.costTotal).toBe('1000000000210.000000000000006');
  });

  it('count in the month of their day, and are replaced by their billing period', async () => {
    // Usage of 31 January that is billed in February.
    const { orgId, byDay, result } = await loaded([
      dayLine('2026-01-31', '5', { BillingPeriodStart: '2026-02-01T00:00:00Z' }),
      dayLine('2026-02-01', '7'),
    ]);
    expect(byDay).toEqual({ '2026-01-31': money('5'), '2026-02-01': money('7') });
    expect(result.months).toEqual(['2026-01', '2026-02']);
    const loads = await rowsOf(
      'SELECT billing_period, first_day, last_day, delivered_through, cost_total FROM current_loads WHERE org_id = $org',
      orgId,
    );
    expect(loads).toEqual([
      {
        billing_period: '2026-02-01',
        first_day: '2026-01-31',
        last_day: '2026-02-01',
        delivered_through: '2026-02-01',
        cost_total: money('12'),
      },
    ]);
  });

  it('count even if they are credits, corrections or unused commitments', async () => {
    const { byDay } = await loaded([
      dayLine('2026-01-10', '100'),
      dayLine('2026-01-10', '-30', { ChargeCategory: 'Credit' }),
      dayLine('2026-01-10', '-0.5', { ChargeCategory: 'Usage' }),
      dayLine('2026-01-10', '-1', { ChargeCategory: 'Usage', ChargeClass: 'Correction' }),
      dayLine('2026-01-10', '7', { CommitmentDiscountStatus: 'Unused' }),
      dayLine('2026-01-11', '-4'),
    ]);
    expect(byDay).toEqual({ '2026-01-10': money('75.5'), '2026-01-11': money('-4') });
  });

  it('have amounts in many forms, exact to fifteen decimals', async () => {
    const amounts: [text: string, cost: string][] = [
      ['1.5E-3', '0.001500000000000'],
      ['1.5e-3', '0.001500000000000'],
      ['-2.5E-7', '-0.000000250000000'],
      ['1.2345E2', '123.450000000000000'],
      ['1E+3', '1000.000000000000000'],
      ['1E-15', '0.000000000000001'],
      ['4.9E-16', '0.000000000000000'],
      ['0.0000000000000005', '0.000000000000001'], // half a unit, away from zero
      ['-0.0000000000000005', '-0.000000000000001'],
      ['999.999999999999999', '999.999999999999999'], // the largest amount of the narrow type
      ['1234.567890123456789', '1234.567890123456789'],
      ['999.9999999999999999', '1000.000000000000000'],
      ['123456789012345.123456789012345', '123456789012345.123456789012345'],
      ['1.234567890123456E5', '123456.789012345600000'],
      ['.5', '0.500000000000000'],
      ['-0', '0.000000000000000'],
      ['007', '7.000000000000000'],
    ];
    const { byAccount } = await loaded(
      amounts.map(([text], index) => dayLine('2026-01-10', text, { SubAccountId: `amount ${index}` })),
    );
    expect(amounts.map(([text], index) => [text, byAccount[`amount ${index}`]?.['2026-01-10']])).toEqual(
      amounts,
    );
  });

  it('add up exactly, even if doubles would not', async () => {
    // 0.1 + 0.2 ten times, and a large amount with a small one.
    const { byDay } = await loaded([
      ...Array.from({ length: 10 }, () => dayLine('2026-01-10', '0.1')),
      ...Array.from({ length: 10 }, () => dayLine('2026-01-10', '0.2')),
      dayLine('2026-01-11', '900719925474099.3'),
      dayLine('2026-01-11', '0.000000000000001'),
    ]);
    expect(byDay).toEqual({ '2026-01-10': money('3'), '2026-01-11': '900719925474099.300000000000001' });
  });

  it('have exactly three spellings of null', async () => {
    const nulls = ['NULL', 'null', ''];
    const { orgId, byAccount } = await loaded([
      // Without a sub account, the billing account counts.
      ...nulls.map((text) => dayLine('2026-01-10', '1', { SubAccountId: text, BillingAccountId: 'payer' })),
      // Any other spelling is a name.
      ...['Null', 'N/A', 'nil', ' '].map((text) => dayLine('2026-01-10', '1', { SubAccountId: text })),
      ...nulls.map((text) =>
        dayLine('2026-01-10', '1', {
          SubAccountId: 'compute',
          SubAccountName: text,
          ServiceCategory: 'Compute',
          ResourceId: text,
        }),
      ),
    ]);
    expect(byAccount).toEqual({
      ' ': { '2026-01-10': money('1') },
      'N/A': { '2026-01-10': money('1') },
      Null: { '2026-01-10': money('1') },
      compute: { '2026-01-10': money('3') },
      nil: { '2026-01-10': money('1') },
      payer: { '2026-01-10': money('3') },
    });
    const compute = await rowsOf(
      `SELECT DISTINCT resource_id, name FROM cloud_spend LEFT JOIN account_names USING (org_id, load_id, account)
       WHERE org_id = $org AND account = 'compute'`,
      orgId,
    );
    expect(compute).toEqual([{ resource_id: null, name: null }]);
  });

  it('have the short name of the cloud from the first of four columns with a value', async () => {
    const clouds: [line: FocusLine, cloud: string][] = [
      [{ ServiceProviderName: 'Google Cloud', ProviderName: 'AWS' }, 'gcp'],
      [{ ServiceProviderName: 'NULL', ProviderName: 'AWS', PublisherName: 'Microsoft' }, 'aws'],
      [{ ServiceProviderName: '', ProviderName: 'null', PublisherName: 'Microsoft' }, 'azure'],
      [{ ProviderName: '', PublisherName: '', InvoiceIssuerName: 'Oracle America' }, 'oci'],
      // A marketplace charge: the vendor publishes it, and the cloud invoices it.
      [{ ProviderName: 'NULL', InvoiceIssuerName: 'Microsoft', PublisherName: 'Datadog' }, 'azure'],
      [{ ProviderName: 'Amazon Web Services, Inc.' }, 'aws'],
      [{ ProviderName: 'AWS' }, 'aws'],
      [{ ProviderName: 'Microsoft Azure' }, 'azure'],
      [{ ProviderName: 'Oracle' }, 'oci'],
      [{ ProviderName: 'OCI' }, 'oci'],
      [{ ProviderName: 'GCP' }, 'gcp'],
      [{ ProviderName: 'Snowflake' }, 'snowflake'],
      [{ ProviderName: 'Databricks, Inc.' }, 'databricks, inc.'],
      [{ ProviderName: 'Sociable' }, 'sociable'], // "oci" within a word does not name a cloud
      [{ ProviderName: 'Lawson' }, 'lawson'], // neither does "aws"
    ];
    const { orgId } = await loaded(
      clouds.map(([line], index) =>
        dayLine('2026-01-10', '1', {
          PublisherName: '',
          InvoiceIssuerName: '',
          ServiceProviderName: '',
          ...line,
          SubAccountId: `cloud ${String(index).padStart(2, '0')}`,
        }),
      ),
    );
    const rows = await rowsOf<{ cloud: string }>(
      'SELECT cloud FROM cloud_spend WHERE org_id = $org ORDER BY account',
      orgId,
    );
    expect(rows.map(({ cloud }) => cloud)).toEqual(clouds.map(([, cloud]) => cloud));
  });

  it('have no id if Azure writes -2 or Unassigned', async () => {
    const line = (provider: string, more: FocusLine) =>
      dayLine('2026-01-10', '1', {
        ProviderName: provider,
        ServiceCategory: 'Compute',
        BillingAccountId: 'payer',
        SubAccountName: 'Unassigned',
        ...more,
      });
    const { orgId } = await loaded([
      line('Microsoft', { SubAccountId: '-2', ResourceId: 'Unassigned' }),
      line('Microsoft', { SubAccountId: 'UNASSIGNED', ResourceId: '-2' }),
      line('Microsoft', { SubAccountId: 'sub-1', ResourceId: 'vm-1' }),
      // From any other provider these are ids.
      line('Acme', { SubAccountId: '-2', ResourceId: 'Unassigned' }),
    ]);
    const rows = await rowsOf(
      `SELECT cloud, account, resource_id, name, sum(cost) AS cost
       FROM cloud_spend LEFT JOIN account_names USING (org_id, load_id, billing_period, cloud, account)
       WHERE org_id = $org GROUP BY ALL ORDER BY ALL`,
      orgId,
    );
    expect(rows).toEqual([
      { cloud: 'acme', account: '-2', resource_id: 'unassigned', name: 'Unassigned', cost: money('1') },
      { cloud: 'azure', account: 'payer', resource_id: null, name: null, cost: money('2') },
      { cloud: 'azure', account: 'sub-1', resource_id: 'vm-1', name: null, cost: money('1') },
    ]);
  });

  it('are rejected without an account that Azure has assigned', async () => {
    const line = dayLine('2026-01-10', '1', {
      ProviderName: 'Microsoft',
      SubAccountId: '-2',
      BillingAccountId: 'Unassigned',
    });
    await expect(loaded([line])).rejects.toThrow(/SubAccountId: expected an account, got nothing/);
  });

  it('keep a resource in lower case whatever its category, unless its kind is no machine', async () => {
    const resource = (category: string, id: string, cost: string) =>
      dayLine('2026-01-10', cost, { ServiceCategory: category, ResourceId: id });
    const { orgId } = await loaded([
      resource('Compute', '/SUBSCRIPTIONS/1/vm-A', '1'),
      resource('Compute', '/subscriptions/1/vm-a', '2'), // the same machine in another letter case of Azure's
      resource('compute', 'i-1', '4'),
      resource('Other', 'i-1', '8'),
      resource('', 'worker-1', '16'),
      resource('Databases', 'arn:aws:rds:eu-west-1:1111:db:shop', '32'),
      resource('Compute Engine', '//compute.googleapis.com/projects/1/zones/z/instances/2', '64'),
      resource('Compute', 'NULL', '128'),
      resource('Compute', 'arn:aws:lambda:eu-west-1:1111:function:resize', '256'),
      resource('Storage', 'ARN:aws:s3:::photos', '512'),
      resource('Storage', 'snap-0123456789abcdef0', '1024'),
      resource(
        'Storage',
        '/subscriptions/1/resourceGroups/rg/providers/Microsoft.Storage/storageAccounts/logs',
        '2048',
      ),
      resource('Compute', 'arn:aws:eks:eu-west-1:1111:pod/prod/shop/api/1', '4096'),
    ]);
    const rows = await rowsOf(
      'SELECT resource_id, sum(cost) AS cost FROM cloud_spend WHERE org_id = $org GROUP BY ALL ORDER BY ALL',
      orgId,
    );
    expect(rows).toEqual([
      { resource_id: '//compute.googleapis.com/projects/1/zones/z/instances/2', cost: money('64') },
      { resource_id: '/subscriptions/1/vm-a', cost: money('3') },
      { resource_id: 'arn:aws:rds:eu-west-1:1111:db:shop', cost: money('32') },
      { resource_id: 'i-1', cost: money('12') }, // 4 + 8
      { resource_id: 'worker-1', cost: money('16') },
      { resource_id: null, cost: money('8064') }, // 128 + 256 + 512 + 1024 + 2048 + 4096
    ]);
  });

  it('keep the name and the zone of a resource, without more rows, and no name that is too long', async () => {
    const named = (cost: string, more: FocusLine) =>
      dayLine('2026-01-10', cost, { ServiceCategory: 'Compute', ResourceId: 'i-1', ...more });
    const { orgId } = await loaded([
      named('1', { ResourceName: 'Node-1', AvailabilityZone: 'europe-west1-b', RegionId: 'europe-west1' }),
      named('2', { ResourceName: 'NULL' }),
      named('4', { ResourceId: 'i-2', ResourceName: 'node-2', RegionId: 'europe-west1' }),
      named('8', { ResourceId: 'i-3', ResourceName: 'x'.repeat(2001) }),
      named('16', { ResourceId: 'arn:aws:s3:::photos', ResourceName: 'photos' }),
    ]);
    expect(
      await rowsOf(
        'SELECT resource_id, resource_name, zone, cost FROM cloud_spend WHERE org_id = $org ORDER BY ALL',
        orgId,
      ),
    ).toEqual([
      { resource_id: 'i-1', resource_name: 'Node-1', zone: 'europe-west1-b', cost: money('3') },
      { resource_id: 'i-2', resource_name: 'node-2', zone: 'europe-west1', cost: money('4') },
      { resource_id: 'i-3', resource_name: null, zone: null, cost: money('8') },
      { resource_id: null, resource_name: null, zone: null, cost: money('16') },
    ]);
  });

  it('have their columns in any letter case and order, among unknown ones', async () => {
    const columns = [
      'Id',
      'tags',
      'EFFECTIVECOST',
      'billingcurrency',
      'x_Discounts',
      'ChargePeriodEnd',
      'chargeperiodSTART',
      'oci_Something',
      'billingPeriodStart',
      'providername',
      'SubAccountID',
    ];
    const text = `${columns.join(',')}
1,"{""a"": ""b,c""}",1.25,USD,"[""x"",""y""]",2026-01-10T01:00:00Z,2026-01-10T00:00:00Z,?,2026-01-01,AWS,7
2,,2.5,USD,,2026-01-10T01:00:00Z,2026-01-10T00:00:00Z,?,2026-01-01,AWS,7
`;
    const { id: orgId } = await newOrganisation(test.warehouse);
    const { id: sourceId } = await newSource(test.warehouse, orgId);
    expect(await loadText(test, { orgId, sourceId }, text)).toMatchObject({ rowsRead: 2, rowsRejected: 0 });
    expect(await spendByAccount(test.warehouse, orgId)).toEqual({ '7': { '2026-01-10': money('3.75') } });
  });

  it('cost their EffectiveCost, or their BilledCost by option', async () => {
    const lines = [
      dayLine('2026-01-10', '1', { BilledCost: '10' }),
      dayLine('2026-01-10', '2', { BilledCost: '0' }),
    ];
    expect((await loaded(lines)).byDay).toEqual({ '2026-01-10': money('3') });
    const billed = await loaded(lines, { costColumn: 'BilledCost' });
    expect(billed.byDay).toEqual({ '2026-01-10': money('10') });
    expect(billed.result.notes).toEqual([]);
    const [load] = await rowsOf('SELECT cost_column FROM current_loads WHERE org_id = $org', billed.orgId);
    expect(load).toEqual({ cost_column: 'BilledCost' });
  });

  it('fall back to BilledCost for a whole billing period, never row by row, with a note', async () => {
    const line = (day: string, effective: string, billed: string) =>
      dayLine(day, effective, { BilledCost: billed });
    const { orgId, byDay, result } = await loaded([
      // December has no EffectiveCost in any row: zero, or missing.
      line('2025-12-10', '0', '5'),
      line('2025-12-11', '0.000', '7'),
      line('2025-12-12', 'NULL', '9'),
      line('2025-12-13', '0', '-1'),
      // January has one in some row, so the 0 of a commitment's purchase is right.
      line('2026-01-10', '0', '1000'),
      line('2026-01-11', '0.000000000000001', '2'),
      // February is 0 in both columns.
      line('2026-02-01', '0', '0'),
    ]);
    expect(byDay).toEqual({
      '2025-12-10': money('5'),
      '2025-12-11': money('7'),
      '2025-12-12': money('9'),
      '2025-12-13': money('-1'),
      '2026-01-10': money('0'),
      '2026-01-11': '0.000000000000001',
      '2026-02-01': money('0'),
    });
    expect(result.notes).toEqual([
      'billing period 2025-12-01: EffectiveCost is missing or zero in every row of aws, BilledCost was used instead',
    ]);
    expect(result).toMatchObject({ rowsRead: 7, rowsRejected: 0, costTotal: '20.000000000000001' });
    const loads = await rowsOf(
      'SELECT billing_period, cost_column FROM current_loads WHERE org_id = $org ORDER BY billing_period',
      orgId,
    );
    expect(loads).toEqual([
      { billing_period: '2025-12-01', cost_column: 'BilledCost' },
      { billing_period: '2026-01-01', cost_column: 'EffectiveCost' },
      { billing_period: '2026-02-01', cost_column: 'EffectiveCost' },
    ]);
  });

  it('fall back for one cloud alone, if its bill of the period has usage', async () => {
    const line = (provider: string, day: string, effective: string, billed: string, category = 'Usage') =>
      dayLine(day, effective, {
        BilledCost: billed,
        SubAccountId: provider,
        ProviderName: provider,
        ChargeCategory: category,
      });
    const { byAccount, result, orgId } = await loaded([
      // AWS has EffectiveCost and Oracle has none: 10 + 20 of AWS, and 3 + 4 of Oracle.
      line('AWS', '2026-01-10', '10', '11'),
      line('AWS', '2026-01-11', '20', '21'),
      line('Oracle', '2026-01-10', '0', '3'),
      line('OCI', '2026-01-11', '', '4'), // the same cloud by another name
      // In January Microsoft bills only a commitment, which is rightly 0 until its use.
      line('Microsoft', '2026-01-12', '0', '1000', 'Purchase'),
      // Its bill of February has usage of 2, so it falls back with the fee.
      line('Microsoft', '2026-02-02', '0', '5', 'Purchase'),
      line('Microsoft', '2026-02-03', '0', '2', 'usage'),
    ]);
    expect(byAccount).toEqual({
      AWS: { '2026-01-10': money('10'), '2026-01-11': money('20') },
      Oracle: { '2026-01-10': money('3') },
      OCI: { '2026-01-11': money('4') },
      Microsoft: { '2026-01-12': money('0'), '2026-02-02': money('5'), '2026-02-03': money('2') },
    });
    expect(result.costTotal).toBe(money('44'));
    expect(result.notes).toEqual([
      'billing period 2026-01-01: EffectiveCost is missing or zero in every row of oci, BilledCost was used instead',
      'billing period 2026-02-01: EffectiveCost is missing or zero in every row of azure, BilledCost was used instead',
    ]);
    // A load that fell back only in part records the column of its option.
    const loads = await rowsOf(
      'SELECT billing_period, cost_column FROM current_loads WHERE org_id = $org ORDER BY ALL',
      orgId,
    );
    expect(loads).toEqual([
      { billing_period: '2026-01-01', cost_column: 'EffectiveCost' },
      { billing_period: '2026-02-01', cost_column: 'BilledCost' },
    ]);
  });

  it('count as usage in exports without a charge category', async () => {
    const { byDay } = await loaded([dayLine('2026-01-10', '0', { BilledCost: '5' })], {}, [
      'EffectiveCost',
      'BilledCost',
      'BillingCurrency',
      'BillingPeriodStart',
      'ChargePeriodStart',
      'ChargePeriodEnd',
      'ProviderName',
      'SubAccountId',
    ]);
    expect(byDay).toEqual({ '2026-01-10': money('5') });
  });

  it('fall back by the billing period, in any form of its rows', async () => {
    const forms = ['2026-01-01T00:00:00Z', '2026-01-01 00:00:00', '2026-01-01'];
    const some = await loaded(
      forms.map((form, index) =>
        dayLine('2026-01-10', index === 2 ? '1' : '0', { BillingPeriodStart: form, BilledCost: '5' }),
      ),
    );
    expect(some.byDay).toEqual({ '2026-01-10': money('1') }); // the third row has an EffectiveCost
    const none = await loaded(
      forms.map((form) => dayLine('2026-01-10', '0', { BillingPeriodStart: form, BilledCost: '5' })),
    );
    expect(none.byDay).toEqual({ '2026-01-10': money('15') });
    expect(none.result.notes).toHaveLength(1);
  });

  it('fall back even if they are spread over days', async () => {
    const { byDay } = await loaded([
      dayLine('2026-01-01', '0', {
        BilledCost: '9',
        ChargePeriodStart: '2026-01-01T00:00:00Z',
        ChargePeriodEnd: '2026-01-04T00:00:00Z',
      }),
    ]);
    expect(byDay).toEqual({ '2026-01-01': money('3'), '2026-01-02': money('3'), '2026-01-03': money('3') });
  });

  it('do not fall back if an EffectiveCost cannot be read', async () => {
    // One column has a comma as decimal point. The load must not silently use the other column.
    const lines = Array.from({ length: 3 }, () => dayLine('2026-01-10', '1,5', { BilledCost: '1' }));
    await expect(loaded(lines)).rejects.toThrow(/EffectiveCost: expected a decimal number, got "1,5"/);
  });
});
