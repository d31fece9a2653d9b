import Big from 'big.js';
import type { DecimalText } from '../../shared/decimals.ts';

/**
 * Currencies whose smallest unit at Stripe is not a hundredth (docs.stripe.com/currencies). The table is Stripe's, not that of
 * ISO 4217, because they differ:
 * - ISK and UGX have no decimals in ISO 4217. Stripe keeps two for backward compatibility: 5 ISK is an amount of 500.
 *   Stripe's list of currencies without decimals still names UGX; its rule for UGX says two, and the rule wins.
 * - MGA has two in ISO 4217, and none at Stripe.
 * - HUF and TWD have two. Only payouts need whole units, and payouts are not sales.
 */
const DECIMALS = new Map<string, number>([
  ...[
    'BIF',
    'CLP',
    'DJF',
    'GNF',
    'JPY',
    'KMF',
    'KRW',
    'MGA',
    'PYG',
    'RWF',
    'VND',
    'VUV',
    'XAF',
    'XOF',
    'XPF',
  ].map((currency): [string, number] => [currency, 0]),
  ...['BHD', 'JOD', 'KWD', 'OMR', 'TND'].map((currency): [string, number] => [currency, 3]),
]);

const MOST_COMMON = 2;

/** Returns an amount in a currency's own units, without trailing zeros. `currency` is upper case. */
export const minorUnitsText = (minorUnits: bigint, currency: string): DecimalText =>
  Big(minorUnits.toString())
    .times(`1e-${(DECIMALS.get(currency) ?? MOST_COMMON).toString()}`)
    .toFixed();
