import Big from 'big.js';
import { quotient, valueToWire, VALUE_DECIMALS, type DecimalText } from './decimals.ts';
import type { MonthRecord } from './month-record.ts';

/**
 * What a month's value is made of, exactly: each label's sum, and what all of them are divided by: 1 for Total, for
 * Average the number of the month's periods with a value. So the parts add up to the month's value.
 */
export interface LabelSums {
  divisor: number;
  sums: { label: string; sum: DecimalText }[];
}

export const NO_LABELS: LabelSums = { divisor: 1, sums: [] };

/** A label's part of a month's value; the share is null where all labels are 0. */
export interface LabelPart {
  label: string;
  value: number;
  share_percent: number | null;
}

const SHARE_DECIMALS = 6;

/** The parts of a month's value, largest first, then by name (spec §2, Metric value rule 3). */
export const labelParts = ({ divisor, sums }: LabelSums): LabelPart[] => {
  const total = sums.reduce((sum, part) => sum.plus(part.sum), Big(0));
  return sums
    .map(({ label, sum }) => ({ label, sum: Big(sum) }))
    .sort((one, other) => other.sum.cmp(one.sum) || (one.label < other.label ? -1 : 1))
    .map(({ label, sum }) => ({
      label,
      value: valueToWire(quotient(sum, Big(divisor), VALUE_DECIMALS)),
      share_percent: total.eq(0) ? null : Number(quotient(sum.times(100), total, SHARE_DECIMALS)),
    }));
};

/** A month record with the parts of its value by label. */
export type LabelledMonthRecord = Omit<MonthRecord, 'current'> & {
  labels: LabelPart[];
  current?: NonNullable<MonthRecord['current']> & { labels: LabelPart[] };
};

/** A locked month shows the labels frozen at its lock, and today's beside them once it has changed (contract §3, Month). */
export const withLabels = (
  { current, ...record }: MonthRecord,
  sums: { today: LabelSums; locked: LabelSums },
): LabelledMonthRecord => ({
  ...record,
  labels: labelParts(record.locked === null ? sums.today : sums.locked),
  ...(current === undefined ? {} : { current: { ...current, labels: labelParts(sums.today) } }),
});
