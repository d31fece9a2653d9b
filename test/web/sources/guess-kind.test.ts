import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { guessKind } from '../../../web/sources/files/guess-kind.ts';
import { nameProblem } from '../../../web/sources/files/name-problem.ts';

const FOCUS = 'BilledCost,BillingPeriodStart,ChargePeriodStart\n1,2026-01-01,2026-01-01\n';

const guess = (name: string, content: string | Uint8Array<ArrayBuffer>) =>
  guessKind(new File([content], name));

it('tells kinds apart by the names of columns', async () => {
  expect(await guess('a.csv', FOCUS)).toBe('focus');
  expect(await guess('a.csv', 'identity/LineItemId,lineItem/UsageAccountId\n')).toBe('aws_cur');
  expect(await guess('a.csv', 'line_item_line_item_type,line_item_unblended_cost\n')).toBe('aws_cur');
  expect(await guess('a.csv', 'subscriptionId,meterCategory,costInBillingCurrency\n')).toBe('azure_cost');
  expect(await guess('a.csv', 'billing_account_id,usage_start_time,cost\n')).toBe('gcp_billing');
  expect(await guess('a.csv', 'Date,Namespace,ControllerKind,TotalCost\n')).toBe('opencost');
  expect(await guess('a.csv', '\uFEFFday,host,service,cost\n')).toBe('hosts');
  expect(await guess('a.csv', 'date,amount\n')).toBeNull();
});

it('looks into gzip and at the end of Parquet', async () => {
  expect(await guess('a.csv.gz', new Uint8Array(gzipSync(FOCUS)))).toBe('focus');
  const parquet = `PAR1${'\u0000'.repeat(300_000)}BillingCurrency ChargePeriodStart PAR1`;
  expect(await guess('a.parquet', parquet)).toBe('focus');
});

it('is silent about a file that it cannot read', async () => {
  expect(await guess('a.csv.gz', 'no gzip')).toBeNull();
});

it('takes names of the three formats only', () => {
  for (const name of ['a.csv', 'a b.CSV.GZ', 'ä.parquet']) expect(nameProblem(name)).toBeNull();
  for (const name of ['a.xlsx', '.csv', 'a.csv.zip', `${'a'.repeat(200)}.csv`])
    expect(nameProblem(name)).toMatch(/^Expected a file that ends in/);
});
