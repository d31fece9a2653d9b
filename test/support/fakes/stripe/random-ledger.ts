import type { Ledger } from '../../../../demo/stripe/ledger.ts';
import { generatedLedger, type GeneratedLedgerOptions } from './generated-ledger.ts';

/** Every reporting category of the specification, some that Stripe has besides, and two that no rule covers. */
export const CATEGORIES = [
  'charge',
  'refund',
  'refund_failure',
  'dispute',
  'dispute_reversal',
  'charge_failure',
  'partial_capture_reversal',
  'payout',
  'payout_reversal',
  'transfer',
  'transfer_reversal',
  'fee',
  'platform_earning',
  'platform_earning_refund',
  'topup',
  'topup_reversal',
  'tax',
  'network_cost',
  'other_adjustment',
  'not_yet_invented',
];

/** Returns a ledger of random transactions of January and February 2026, in five currencies. */
export const randomLedger = (options: Pick<GeneratedLedgerOptions, 'seed' | 'length'>): Ledger =>
  generatedLedger({
    oldest: Date.parse('2026-01-01T00:00:00Z') / 1000,
    newest: Date.parse('2026-02-28T23:59:59Z') / 1000,
    currencies: ['usd', 'eur', 'jpy', 'kwd', 'gbp'],
    categories: CATEGORIES,
    mostUnits: 5_000_000,
    ...options,
  });
