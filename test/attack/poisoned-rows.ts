import type { FocusLine } from '../support/exports/focus-export.ts';

/** A text one character longer than the limit of names and ids. */
export const LONG_TEXT = 'L'.repeat(2_001);

/** Rows that would break an organisation's numbers if they were stored, each with the problem that the run reports. */
export const POISONED_FOCUS_ROWS: readonly (readonly [FocusLine, RegExp])[] = [
  [{ ChargePeriodStart: 'infinity' }, /^ChargePeriodStart: expected a UTC time .*"infinity"$/],
  [{ ChargePeriodStart: '-infinity' }, /^ChargePeriodStart: .*"-infinity"$/],
  [{ ChargePeriodEnd: 'infinity' }, /^ChargePeriodEnd: .*"infinity"$/],
  [{ ChargePeriodStart: 'epoch' }, /^ChargePeriodStart: .*"epoch"$/],
  [{ ChargePeriodStart: 'epoch     ' }, /^ChargePeriodStart: .*"epoch {5}"$/],
  [{ ChargePeriodStart: '1969-12-31T23:00:00Z' }, /^ChargePeriodStart: .*"1969-12-31T23:00:00Z"$/],
  [{ ChargePeriodStart: '2026-01-10 (BC)' }, /^ChargePeriodStart: .*"2026-01-10 \(BC\)"$/],
  [{ ChargePeriodStart: '0044-03-15 (BC) 00:00:00' }, /^ChargePeriodStart: .*\(BC\) 00:00:00"$/],
  [{ ChargePeriodEnd: '99999-01-01T00:00:00Z' }, /^ChargePeriodEnd: .*"99999-01-01T00:00:00Z"$/],
  [{ ChargePeriodEnd: '294247-01-10T04:00:54Z' }, /^ChargePeriodEnd: .*"294247-01-10T04:00:54Z"$/],
  [
    { ChargePeriodEnd: '2037-01-01T00:00:00Z' },
    /^ChargePeriodEnd: expected a UTC time from 1970 to 10 years/,
  ],
  [
    { ChargePeriodStart: '2015-12-31T23:59:59Z', ChargePeriodEnd: '2026-01-01T00:00:00Z' },
    /^ChargePeriodEnd: expected a charge period of at most 10 years/,
  ],
  [{ BillingPeriodStart: 'infinity' }, /^BillingPeriodStart: .*"infinity"$/],
  [{ BillingPeriodStart: '-infinity' }, /^BillingPeriodStart: .*"-infinity"$/],
  [{ BillingPeriodStart: '0001-01-01 (BC)' }, /^BillingPeriodStart: .*\(BC\)"$/],
  [{ BillingPeriodStart: '1969-12-01T00:00:00Z' }, /^BillingPeriodStart: .*"1969-12-01T00:00:00Z"$/],
  [{ BillingPeriodStart: '99999-01-01T00:00:00Z' }, /^BillingPeriodStart: .*"99999-01-01T00:00:00Z"$/],
  [{ BillingPeriodEnd: 'infinity' }, /^BillingPeriodEnd: .*"infinity"$/],
  [{ BillingPeriodEnd: 'never' }, /^BillingPeriodEnd: .*"never"$/],
  [
    { BillingPeriodEnd: '2036-01-02T00:00:00Z' },
    /^BillingPeriodEnd: expected a billing period of at most 10/,
  ],
  [{ EffectiveCost: '1_000' }, /^EffectiveCost: expected a decimal number, got "1_000"$/],
  [{ EffectiveCost: '1_0' }, /^EffectiveCost: expected a decimal number, got "1_0"$/],
  [{ EffectiveCost: '1e21' }, /^EffectiveCost: expected a decimal number of at most 1e15, got "1e21"$/],
  [{ EffectiveCost: '1000000000000001' }, /^EffectiveCost: .* at most 1e15, got "1000000000000001"$/],
  [{ EffectiveCost: '-99999999999999999999999' }, /^EffectiveCost: .* at most 1e15/],
  [{ EffectiveCost: 'NaN' }, /^EffectiveCost: expected a decimal number, got "NaN"$/],
  [{ EffectiveCost: 'infinity' }, /^EffectiveCost: .*"infinity"$/],
  [{ BillingCurrency: '' }, /^BillingCurrency: expected a currency, got nothing$/],
  [{ BillingCurrency: '   ' }, /^BillingCurrency: expected a currency, got nothing$/],
  [{ SubAccountId: LONG_TEXT }, /^SubAccountId: expected at most 2000 characters, got "L{80}"$/],
];

/** Days that no row of any feed may have. */
export const POISONED_DAYS = [
  'infinity',
  '-infinity',
  'epoch',
  '1969-12-31',
  '2026-01-10 (BC)',
  '0044-03-15 (BC)',
  '99999-01-01',
  '5881580-07-10',
  '2036-12-31',
] as const;

/** The texts of a FOCUS row that the service stores if nothing picks tags, services or resource groups. */
export const LONG_FOCUS_TEXTS = [
  'BillingCurrency',
  'ProviderName',
  'SubAccountId',
  'SubAccountName',
  'ResourceId',
] as const;

/** Amounts that no row of a feed may have. */
export const POISONED_AMOUNTS = ['1_000', '1_0', '1e16', '-1e22', 'NaN', 'infinity', '0x10', '1,5'] as const;
