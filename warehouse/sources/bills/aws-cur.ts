import type { BillFormat } from './bill-format.ts';
import { costBy, minus, plus, type CostRule } from './costs.ts';
import { tagsIn } from './tag-places.ts';
import { always, cell, translated } from './values.ts';

// AWS Cost and Usage Reports: CUR 2.0, the older reports, and their Parquet files. The names are those of CUR 2.0. Older reports
// write `line_item_usage_account_id` as `lineItem/UsageAccountId`.

const TYPE = ['line_item_line_item_type'] as const;
const NET_UNBLENDED = plus('line_item_net_unblended_cost', 'line_item_unblended_cost');

const lines = (...types: readonly string[]): CostRule['where'] => [
  { names: TYPE, is: types, isNeeded: true },
];

/** Tasks and pods have lines beside that of their instance, which has their cost. */
const SPLIT: CostRule = {
  lines: 'parts of an instance (split cost allocation)',
  where: [{ names: ['split_line_item_parent_resource_id'], is: 'present' }],
  cost: [],
};

const EFFECTIVE: readonly CostRule[] = [
  SPLIT,
  { lines: '`Usage`', where: lines('Usage'), cost: [NET_UNBLENDED] },
  {
    lines: '`SavingsPlanCoveredUsage`',
    where: lines('SavingsPlanCoveredUsage'),
    cost: [plus('savings_plan_net_savings_plan_effective_cost', 'savings_plan_savings_plan_effective_cost')],
  },
  {
    lines: '`SavingsPlanRecurringFee`',
    where: lines('SavingsPlanRecurringFee'),
    cost: [plus('savings_plan_total_commitment_to_date'), minus('savings_plan_used_commitment')],
  },
  {
    lines: '`SavingsPlanNegation`, `SavingsPlanUpfrontFee`',
    where: lines('SavingsPlanNegation', 'SavingsPlanUpfrontFee'),
    cost: [],
  },
  {
    lines: '`DiscountedUsage`',
    where: lines('DiscountedUsage'),
    cost: [plus('reservation_net_effective_cost', 'reservation_effective_cost')],
  },
  {
    lines: '`RIFee`',
    where: lines('RIFee'),
    cost: [
      plus(
        'reservation_net_unused_amortized_upfront_fee_for_billing_period',
        'reservation_unused_amortized_upfront_fee_for_billing_period',
      ),
      plus('reservation_net_unused_recurring_fee', 'reservation_unused_recurring_fee'),
    ],
  },
  {
    lines: '`Fee` of a reservation',
    where: [...lines('Fee'), { names: ['reservation_reservation_a_r_n'], is: 'present' }],
    cost: [],
  },
  {
    // Their purchase has cost 0. Refunds of discounts name none of them.
    lines: '`Refund` of a reservation or savings plan',
    where: [
      ...lines('Refund'),
      { names: ['reservation_reservation_a_r_n', 'savings_plan_savings_plan_a_r_n'], is: 'present' },
    ],
    cost: [],
  },
  { lines: 'all others', where: [], cost: [NET_UNBLENDED] },
];

export const AWS_CUR: BillFormat = {
  columns: {
    EffectiveCost: costBy('EffectiveCost', EFFECTIVE),
    BilledCost: costBy('BilledCost', [SPLIT, { lines: 'all others', where: [], cost: [NET_UNBLENDED] }]),
    BillingCurrency: cell('line_item_currency_code'),
    ChargePeriodStart: cell('line_item_usage_start_date'),
    ChargePeriodEnd: cell('line_item_usage_end_date'),
    BillingPeriodStart: cell('bill_billing_period_start_date'),
    ProviderName: always('AWS'),
    SubAccountId: cell('line_item_usage_account_id'),
    BillingAccountId: cell('bill_payer_account_id'),
    SubAccountName: cell('line_item_usage_account_name'),
    // Only purchases, taxes and credits are told from usage. The fee of an hour or a month comes with its usage.
    ChargeCategory: translated(
      TYPE,
      {
        Tax: ['Tax'],
        Credit: [
          'Credit',
          'Refund',
          'SavingsPlanNegation',
          'EdpDiscount',
          'PrivateRateDiscount',
          'BundledDiscount',
          'Discount',
        ],
        Purchase: ['Fee', 'SavingsPlanUpfrontFee'],
      },
      'Usage',
    ),
    CommitmentDiscountId: cell('savings_plan_savings_plan_a_r_n', 'reservation_reservation_a_r_n'),
    ServiceName: cell('product_product_name', 'product.product_name', 'line_item_product_code'),
    ResourceId: cell('line_item_resource_id'),
    AvailabilityZone: cell('line_item_availability_zone'),
  },
  tags: tagsIn([
    {
      all: 'resource_tags',
      single: ['resourceTags/user:', 'resource_tags_user_', 'resourceTags/', 'resource_tags_'],
      prefixes: ['user_', 'user:'],
    },
    { all: 'cost_category', single: ['costCategory/', 'cost_category_'], group: 'category:' },
  ]),
};
