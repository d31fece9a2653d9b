import { describe, expect, it } from 'vitest';
import { ingestedBill } from '../../../support/exports/bills/ingested-bill.ts';
import { csvTable } from '../../../support/exports/bills/csv-table.ts';
import { openDuckDb } from '../../../support/warehouse/engines.ts';
import { withOpened } from '../../../support/with-opened.ts';

/** Cells that no cloud writes. */
const POISONS = [
  ...["'", '"}', '{', '[', '{"a"', '[{"amount"', '[{"amount":"x"}]', '[{"amount":1e400}]', '[1]', '[null]'],
  ...[
    '[{"key":null,"value":1},{"key":null,"value":2}]',
    '{"user_a":{"b":[1]}}',
    '{"user_a":"user_b\\""}',
    'null',
  ],
  ...['NaN', 'Infinity', '1e400', '-', '9'.repeat(60), '\\', 'epoch', 'infinity', '13/45/2026', '99.99.9999'],
  ...["'; DROP TABLE loads; --", 'é́', 'x'.repeat(3_000), '{'.repeat(500), '-2', '202613', '0001-01-01'],
];

/** A sound row of each format, without what makes it one of another. */
const ROWS: Readonly<Record<'aws_cur' | 'azure_cost' | 'gcp_billing' | 'custom', Record<string, string>>> = {
  aws_cur: {
    bill_payer_account_id: '1',
    bill_billing_period_start_date: '2026-01-01T00:00:00Z',
    line_item_usage_account_id: '2',
    line_item_usage_account_name: 'Shop',
    line_item_line_item_type: 'SavingsPlanCoveredUsage',
    line_item_usage_start_date: '2026-01-10T00:00:00Z',
    line_item_usage_end_date: '2026-01-10T01:00:00Z',
    line_item_product_code: 'AmazonEC2',
    line_item_resource_id: 'i-1',
    line_item_currency_code: 'USD',
    line_item_unblended_cost: '1',
    savings_plan_savings_plan_effective_cost: '1',
    savings_plan_savings_plan_a_r_n: 'arn',
    product: '{"product_name":"EC2"}',
    resource_tags: '{"user_team":"a"}',
    cost_category: '{"Unit":"b"}',
    split_line_item_parent_resource_id: '',
  },
  azure_cost: {
    SubscriptionId: 's',
    SubscriptionName: 'Shop',
    Date: '01/10/2026',
    BillingPeriodStartDate: '01/01/2026',
    'Kosten (CostInBillingCurrency)': '1,5',
    BillingCurrency: 'USD',
    MeterCategory: 'VM',
    ResourceId: '/x',
    ResourceGroup: 'rg',
    ChargeType: 'Usage',
    ReservationId: '',
    Tags: '"team": "a"',
  },
  gcp_billing: {
    billing_account_id: 'b',
    'project.id': 'p',
    'project.name': 'P',
    'service.description': 'Compute',
    usage_start_time: '2026-01-10 00:00:00 UTC',
    usage_end_time: '2026-01-10 01:00:00 UTC',
    labels: '[{"key":"team","value":"a"}]',
    cost: '1',
    currency: 'USD',
    credits: '[{"amount":-0.5}]',
    'invoice.month': '202601',
    cost_type: 'regular',
    'resource.name': 'vm',
  },
  custom: {
    when: '2026-01-10',
    until: '2026-01-10',
    cost: '1',
    account: 'a',
    service: 's',
    tags: '{"team":"a"}',
  },
};

const CUSTOM = {
  columns: {
    cost: 'cost',
    day: 'when',
    last_day: 'until',
    account: 'account',
    service: 'service',
    tags: 'tags',
  },
  defaults: { provider: "O'Vendor" },
  day_format: 'MM/DD/YYYY',
};

describe('a bill with poisoned cells', () => {
  const test = withOpened(openDuckDb);

  for (const kind of Object.keys(ROWS) as (keyof typeof ROWS)[])
    it(`loses at most their rows, and accounts for each: ${kind}`, async () => {
      const sound = ROWS[kind];
      const poisoned = Object.keys(sound).flatMap((column) =>
        // Another currency fails the load.
        /currency(_code)?$/i.test(column) ? [] : POISONS.map((poison) => ({ ...sound, [column]: poison })),
      );
      const rows = [...Array<typeof sound>(101 * poisoned.length).fill(sound), ...poisoned];
      const { run } = await ingestedBill(
        test,
        kind,
        { 'bill.csv': csvTable(rows) },
        {
          choices: ['aws', 'azure', 'gcp', "o'vendor"].map((cloud) => ({
            ...{ kind: 'tag' as const, cloud, choice: "te'am", firstDay: '2025-01-01' },
          })),
          options: kind === 'custom' ? CUSTOM : { cost_column: 'EffectiveCost' },
        },
      );
      expect(run).toMatchObject({ status: 'completed', rows_read: rows.length });
      expect(run?.rows_rejected).toBeLessThanOrEqual(poisoned.length);
      expect(run?.rows_rejected).toBeGreaterThan(poisoned.length / 20);
    });
});
