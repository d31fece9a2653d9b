/** What a transaction's reporting category means for net sales. */
export type SalesRole = 'counts' | 'left_out' | 'unknown';

/** Charges minus refunds, disputes and failed payments, plus disputes won and refunds that fail. */
const COUNTS = [
  'charge',
  // A payment that failed after it had been credited, such as a bank debit.
  'charge_failure',
  'dispute',
  'dispute_reversal',
  // Stripe books a partly captured charge in full, and then takes back the rest.
  'partial_capture_reversal',
  'refund',
  'refund_failure',
];

/** Money that moves without a sale: to banks, to other accounts, to and from Stripe, and to issued cards. */
const LEFT_OUT = [
  'advance',
  'advance_funding',
  'anticipation_repayment',
  'climate_order_purchase',
  'climate_order_refund',
  'connect_collection_transfer',
  'connect_reserved_funds',
  'contribution',
  'fee',
  'financing_paydown',
  'financing_paydown_reversal',
  'financing_payout',
  'financing_payout_reversal',
  'issuing_authorization_hold',
  'issuing_authorization_release',
  'issuing_dispute',
  'issuing_transaction',
  'network_cost',
  'payout',
  'payout_reversal',
  'platform_earning',
  'platform_earning_refund',
  'risk_reserved_funds',
  'tax',
  'topup',
  'topup_reversal',
  'transfer',
  'transfer_reversal',
];

const ROLES = new Map<string, SalesRole>([
  ...COUNTS.map((category): [string, SalesRole] => [category, 'counts']),
  ...LEFT_OUT.map((category): [string, SalesRole] => [category, 'left_out']),
]);

/**
 * Returns what a reporting category of Stripe means for net sales (docs/concepts.md#daily-imports). `other_adjustment` and
 * `unreconciled_customer_funds` are unknown on purpose: they may hold sales, so a person must see that they are left out.
 */
export const salesRole = (category: string): SalesRole => ROLES.get(category) ?? 'unknown';
