import { hourOf, type Charge } from './charges.ts';

const PLAN = 'arn:aws:savingsplans::1000:savingsplan/sp-1';
const RESERVATION = 'arn:aws:ec2:us-east-1:1000:reserved-instances/ri-1';

type Given = Pick<Charge, 'line' | 'effective' | 'billed'> & Partial<Charge>;

/** The line type decides the category. */
const CATEGORY: Readonly<Record<string, Charge['category']>> = {
  Tax: 'Tax',
  Credit: 'Credit',
  Refund: 'Credit',
  EdpDiscount: 'Credit',
  SavingsPlanNegation: 'Credit',
  Fee: 'Purchase',
  SavingsPlanUpfrontFee: 'Purchase',
};

/** Returns a charge of AWS on 10 January. Each kind of line has an account of its own. */
const charge = ({ line, native = {}, ...given }: Given): Charge => ({
  line,
  ...hourOf('2026-01-10'),
  account: line,
  accountName: `Account ${line}`,
  service: 'Amazon Elastic Compute Cloud',
  resource: null,
  tags: { team: line.toLowerCase() },
  category: CATEGORY[line] ?? 'Usage',
  ...given,
  native: { line_item_unblended_cost: given.billed, ...native },
});

const month = { start: '2026-01-01T00:00:00Z', end: '2026-02-01T00:00:00Z', period: '2026-01-01' };

/**
 * The charges of an organisation with every kind of line. Pods and tasks lie on the instance i-1, which costs 0.3: their parts of
 * it, 0.12 + 0.03 and 0.1 + 0.05, add up to it.
 */
export const AWS_CHARGES: readonly Charge[] = [
  charge({ line: 'Usage', effective: '0.0116000000', billed: '0.0116000000', resource: 'i-0a1b2c3d' }),
  charge({ line: 'Usage', effective: '-0.0016000000', billed: '-0.0016000000', ...hourOf('2026-01-11', 23) }),
  charge({
    line: 'Usage',
    effective: '12.5',
    billed: '12.5',
    ...hourOf('2026-01-31'),
    service: 'Amazon Simple Storage Service',
    resource: 'my-bucket',
    tags: { 'cost center': 'a, "b"', team: 'search', owner: 'user_jane' },
  }),
  charge({
    line: 'SavingsPlanCoveredUsage',
    effective: '0.7',
    billed: '1',
    resource: 'i-1111',
    commitment: PLAN,
    native: { savings_plan_savings_plan_effective_cost: '0.7', savings_plan_savings_plan_a_r_n: PLAN },
  }),
  charge({
    line: 'SavingsPlanNegation',
    effective: '0',
    billed: '-1',
    native: { savings_plan_savings_plan_a_r_n: PLAN },
  }),
  charge({
    line: 'SavingsPlanRecurringFee',
    effective: '0.3',
    billed: '1.1',
    native: {
      savings_plan_total_commitment_to_date: '1',
      savings_plan_used_commitment: '0.7',
      savings_plan_savings_plan_a_r_n: PLAN,
    },
  }),
  charge({
    line: 'SavingsPlanUpfrontFee',
    effective: '0',
    billed: '876',
    native: { savings_plan_savings_plan_a_r_n: PLAN },
  }),
  charge({
    line: 'DiscountedUsage',
    effective: '0.05',
    billed: '0',
    resource: 'arn:aws:ec2:us-east-1:1:instance/i-2222',
    commitment: RESERVATION,
    native: { reservation_effective_cost: '0.05', reservation_reservation_a_r_n: RESERVATION },
  }),
  charge({
    line: 'RIFee',
    effective: '3.123',
    billed: '10',
    ...month,
    native: {
      reservation_unused_amortized_upfront_fee_for_billing_period: '3',
      reservation_unused_recurring_fee: '0.123',
      reservation_reservation_a_r_n: RESERVATION,
    },
  }),
  charge({
    line: 'Fee',
    effective: '0',
    billed: '500',
    account: 'Fee of a reservation',
    native: { reservation_reservation_a_r_n: RESERVATION },
  }),
  charge({ line: 'Fee', effective: '29', billed: '29', ...month, service: 'AWS Support (Business)' }),
  charge({ line: 'Tax', effective: '1.9', billed: '1.9', ...month }),
  charge({ line: 'Credit', effective: '-7', billed: '-7' }),
  charge({ line: 'Refund', effective: '-2', billed: '-2', service: 'Savings Plans for AWS Compute usage' }),
  // A plan that is returned: its purchase has cost 0.
  charge({
    line: 'Refund',
    effective: '0',
    billed: '-876',
    commitment: PLAN,
    ...hourOf('2026-01-12'),
    native: { savings_plan_savings_plan_a_r_n: PLAN },
  }),
  charge({ line: 'EdpDiscount', effective: '-0.5', billed: '-0.5' }),
  charge({ line: 'Usage', effective: '0.3', billed: '0.3', account: 'Cluster', resource: 'i-3333' }),
];

/** The parts of the instance i-3333. An export with them has these lines more, and costs the same. */
export const SPLIT_LINES: readonly Charge[] = [
  ['pod/a', '0.12', '0.03'],
  ['pod/b', '0.1', '0.05'],
].map(([pod = '', split = '', unused = '']) =>
  charge({
    line: 'Usage',
    effective: '0',
    billed: '0',
    account: 'Cluster',
    resource: `arn:aws:eks:us-east-1:1:${pod}`,
    native: {
      split_line_item_parent_resource_id: 'i-3333',
      split_line_item_split_cost: split,
      split_line_item_unused_cost: unused,
    },
  }),
);

/** The same organisation with a private discount: each amount has a net one beside it, which counts. */
const NET: Readonly<Record<string, string>> = {
  line_item_unblended_cost: 'line_item_net_unblended_cost',
  savings_plan_savings_plan_effective_cost: 'savings_plan_net_savings_plan_effective_cost',
  reservation_effective_cost: 'reservation_net_effective_cost',
  reservation_unused_amortized_upfront_fee_for_billing_period:
    'reservation_net_unused_amortized_upfront_fee_for_billing_period',
  reservation_unused_recurring_fee: 'reservation_net_unused_recurring_fee',
};

/** Returns charges whose known costs are net, beside higher ones that do not count. */
export const withNetCosts = (charges: readonly Charge[]): Charge[] =>
  charges.map((one) => ({
    ...one,
    native: Object.fromEntries(
      Object.entries(one.native).flatMap(([column, cell]) => {
        const net = NET[column];
        return net === undefined
          ? [[column, cell]]
          : [
              [net, cell],
              [column, '99'],
            ];
      }),
    ),
  }));
