import { beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { costsOf } from '../../../support/warehouse/costs-of.ts';
import { readSampleText, SAMPLE } from '../../../support/exports/focus-sample.ts';
import { describeOnBothEngines } from '../../../support/warehouse/engines.ts';
import { choose, type Chosen } from '../../../support/warehouse/spend-choices.ts';
import { loadPaths, newOrganisation, newSource, NOW, spendByDay } from '../../../support/warehouse/tenant.ts';
import { withOpened } from '../../../support/with-opened.ts';
import {
  naiveDailyTotals,
  naiveSpend,
  textOf,
  unitsOf,
  type NaiveRow,
  type NaiveSpendRow,
} from './focus-naive.ts';

/** Parses CSV character by character (RFC 4180). */
function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let field = '';
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? '';
    if (isQuoted) {
      if (character !== '"') field += character;
      else if (text[at + 1] === '"') {
        field += '"';
        at += 1;
      } else isQuoted = false;
    } else if (character === '"') isQuoted = true;
    else if (character === ',' || character === '\n') {
      row.push(field);
      field = '';
      if (character === '\n') {
        rows.push(row);
        row = [];
      }
    } else if (character !== '\r') field += character;
  }
  return rows;
}

/** Returns a decimal without an exponent, by moving its point. */
function plain(text: string): string {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
  const [, sign = '', whole = '', decimals = ''] = /^(-?)(\d*)\.?(\d*)$/.exec(mantissa) ?? [];
  const shift = Number(exponent);
  const digits = `${'0'.repeat(Math.max(0, -shift))}${whole}${decimals}${'0'.repeat(Math.max(0, shift))}`;
  const point = digits.length - decimals.length - Math.max(0, shift) + shift;
  return `${sign}${digits.slice(0, point) || '0'}${point < digits.length ? `.${digits.slice(point)}` : ''}`;
}

interface SampleRow extends NaiveSpendRow, Record<'BilledCost' | 'EffectiveCost', string> {
  billingPeriod: string;
}

const CLOUDS: Record<string, string> = { AWS: 'aws', Microsoft: 'azure', Oracle: 'oci' };
const TAGS = z.record(z.string(), z.unknown());

async function readSample(): Promise<SampleRow[]> {
  const [header = [], ...rows] = parseCsv(await readSampleText());
  const at = (row: string[], name: string): string => row[header.indexOf(name)] ?? '';
  const time = (text: string): Date => new Date(`${text.replace(' ', 'T')}Z`);
  return rows.map((row) => ({
    BilledCost: plain(at(row, 'BilledCost')),
    EffectiveCost: plain(at(row, 'EffectiveCost')),
    billingPeriod: at(row, 'BillingPeriodStart').slice(0, 10),
    start: time(at(row, 'ChargePeriodStart')),
    end: time(at(row, 'ChargePeriodEnd')),
    cost: plain(at(row, 'BilledCost')),
    cloud: CLOUDS[at(row, 'ProviderName')] ?? '',
    account: at(row, 'SubAccountId'),
    service: at(row, 'ServiceName'),
    resourceGroup: /\/resourcegroups\/([^/]+)/i.exec(at(row, 'ResourceId'))?.[1] ?? null,
    tags: Object.entries(TAGS.parse(at(row, 'Tags') === 'NULL' ? {} : JSON.parse(at(row, 'Tags')))),
  }));
}

const rowsBy = (rows: readonly SampleRow[], column: (row: SampleRow) => 'BilledCost' | 'EffectiveCost') =>
  rows.map((row): NaiveRow => ({ start: row.start, end: row.end, cost: row[column(row)] }));

describeOnBothEngines('the real sample', (open) => {
  const test = withOpened(open);
  let rows: SampleRow[];
  beforeAll(async () => {
    rows = await readSample();
  });

  const load = async (costColumn: 'BilledCost' | 'EffectiveCost', ...chosen: Chosen[]) => {
    const { id: orgId } = await newOrganisation(test.warehouse);
    await choose(test, orgId, ...chosen);
    const { id: sourceId } = await newSource(test.warehouse, orgId);
    const result = await loadPaths(test, { orgId, sourceId }, [SAMPLE], { costColumn });
    return { orgId, result };
  };

  it('has the billed cost of a row-by-row sum, on every day', async () => {
    const { orgId, result } = await load('BilledCost');
    expect(result).toMatchObject({ rowsRead: 1000, rowsRejected: 0, notes: [] });
    const daily = await spendByDay(test.warehouse, orgId);
    expect(daily).toEqual(naiveDailyTotals(rowsBy(rows, () => 'BilledCost')));
    const september = Object.entries(daily)
      .filter(([day]) => day.startsWith('2024-09'))
      .reduce((sum, [, cost]) => sum + unitsOf(cost), 0n);
    expect(textOf(september)).toBe('20.520226728990000');
  });

  it('has three clouds, and the accounts add up to the total', async () => {
    const { orgId, result } = await load('BilledCost');
    const range = { previousStart: '2023-01-01', start: '2024-01-01', end: '2025-12-31' };
    const summary = await costsOf(test.warehouse, orgId, range, NOW);
    expect([...new Set(summary.byAccount.map(({ cloud }) => cloud))].sort()).toEqual(['aws', 'azure', 'oci']);
    const sum = (parts: { total: string }[]): string =>
      textOf(parts.reduce((total, part) => total + unitsOf(part.total), 0n));
    expect(sum(summary.byAccount)).toBe(result.costTotal);
    expect(sum(summary.byDay)).toBe(result.costTotal);
    expect(summary.total).toBe(result.costTotal);
  });

  it('has the effective cost, except in bills without one', async () => {
    const { orgId, result } = await load('EffectiveCost');
    // Oracle's effective cost is rounded to whole units, and so zero in every row.
    const note = (period: string) =>
      `billing period ${period}: EffectiveCost is missing or zero in every row of oci, BilledCost was used instead`;
    expect(result.notes).toEqual([note('2024-09-01'), note('2024-10-01')]);
    // Computes again which bills have an effective cost other than zero.
    const billOf = ({ cloud, billingPeriod }: SampleRow) => `${cloud} ${billingPeriod}`;
    const withEffective = new Set(
      rows.filter((row) => unitsOf(row.EffectiveCost) !== 0n).map((row) => billOf(row)),
    );
    expect(withEffective).toEqual(new Set(['aws 2024-09-01', 'azure 2024-09-01']));
    const expected = rowsBy(rows, (row) => (withEffective.has(billOf(row)) ? 'EffectiveCost' : 'BilledCost'));
    expect(await spendByDay(test.warehouse, orgId)).toEqual(naiveDailyTotals(expected));
  });

  it('has the tags, services and resource groups of a row-by-row sum', async () => {
    const firstDay = '2024-09-10';
    const subscription = '/subscriptions/64e355d7-997c-491d-b0c1-8414dccfcf42';
    const chosen: Chosen[] = [
      { kind: 'tag', cloud: 'aws', choice: 'business_unit', firstDay },
      { kind: 'tag', cloud: 'azure', choice: 'org', firstDay }, // half of its keys are ` org`
      { kind: 'split', cloud: 'aws', account: '18938484842', choice: 'service', firstDay },
      { kind: 'split', cloud: 'azure', account: subscription, choice: 'resource_group', firstDay },
    ];
    const { orgId } = await load('BilledCost', ...chosen);
    const found = await test.warehouse.query<Record<string, string | null> & { cost: string }>(
      `SELECT day, cloud, account, split_kind, split_value, tag_key, tag_value, sum(cost) AS cost
       FROM cloud_spend WHERE org_id = $org GROUP BY ALL`,
      { org: orgId },
    );
    const byAll = Object.fromEntries(
      found.map(({ cost, ...by }) => [JSON.stringify(Object.values(by)), cost]),
    );
    expect(byAll).toEqual(naiveSpend(rows, chosen));
    const values = (column: string) =>
      new Set(found.map((row) => row[column]).filter((value) => typeof value === 'string'));
    expect(values('tag_key')).toEqual(new Set(['business_unit', 'org']));
    expect(values('split_kind')).toEqual(new Set(['service', 'resource_group']));
    expect(values('tag_value').size).toBeGreaterThan(20);
    expect(values('split_value').size).toBeGreaterThan(5);
  });
});
