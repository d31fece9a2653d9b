import { VALUE_DECIMALS, valueUnits, type DecimalText } from '../shared/decimals.ts';

/**
 * A label's exact share of a month's value. `sum` adds its values, `total` those of all labels; neither is negative. The divisor
 * is 1 for Total, and the number of the month's periods with a value for Average. So the parts add up to the month's value.
 */
export interface LabelSum {
  /** Null for all labels that are not listed on their own. */
  label: string | null;
  sum: DecimalText;
  divisor: string;
  total: DecimalText;
}

/** A label's part of a month's value. The share is null if all labels are 0. */
export interface LabelPart {
  label: string | null;
  value: number;
  share_percent: number | null;
}

const SHARE_DECIMALS = 6;
const PERCENT = 100n * 10n ** BigInt(SHARE_DECIMALS);

/** Returns a label's part, rounded once. It uses integers for speed: a month can have hundreds of thousands of labels. */
export function labelPart({ label, sum, divisor, total }: LabelSum): LabelPart {
  const [units, all] = [valueUnits(sum), valueUnits(total)];
  return {
    label,
    value: decimal(rounded(units, BigInt(divisor)), VALUE_DECIMALS),
    share_percent: all === 0n ? null : decimal(rounded(units * PERCENT, all), SHARE_DECIMALS),
  };
}

/** Returns the nearest whole quotient, half upwards. */
const rounded = (dividend: bigint, divisor: bigint): bigint => (2n * dividend + divisor) / (2n * divisor);

const decimal = (units: bigint, places: number): number => Number(`${units}e-${places}`);
