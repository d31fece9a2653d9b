import { daysInclusive, firstDay, lastDay, monthOf, type Day, type Month } from '../shared/calendar.ts';
import { valueText, valueUnits, type DecimalText } from '../shared/decimals.ts';
import type { Frequency } from './metric.ts';
import type { ValueDays } from './value-gap.ts';

/** The values of a month, labels added up. */
export interface ValueMonth extends ValueDays {
  /** Null without values. */
  sum: DecimalText | null;
  /** How often a value of the month was added, replaced or removed. */
  changes: number;
  /** The last day whose value an import has recorded, and nobody since; null without one. */
  lastImported: Day | null;
}

/** The values of a metric: by month since `first`, and for a daily metric by day since `firstDay`. */
export interface ValueMonths {
  frequency: Frequency;
  first: Day;
  firstDay: Day;
  months: ReadonlyMap<Month, ValueMonth>;
  /** The sums of days with a value, in units of 10⁻¹⁰. */
  days: ReadonlyMap<Day, bigint>;
  /** The day through which the values are complete (values-through.ts), and the first day with a value; null without values. */
  through: Day | null;
  from: Day | null;
  /** Whether any value has a label, or ever had. */
  hasLabels: boolean;
}

/** A change of one value without a label, which no import has made. Null stands for no value. */
export interface ValueChange {
  period: Day;
  before: DecimalText | null;
  after: DecimalText | null;
}

const EMPTY: ValueMonth = {
  sum: null,
  changes: 0,
  count: 0,
  last: null,
  longestGap: null,
  lastImported: null,
};

/**
 * Returns the values of a metric after a change. Knows only the most frequent changes: one of a value, and a new value after all
 * others. Returns null for any other, whose effect only the rows tell.
 */
export function withChange(values: ValueMonths, { period, before, after }: ValueChange): ValueMonths | null {
  const { frequency, through } = values;
  if (values.hasLabels || after === null) return null;
  if (before === null && through !== null && period <= through) return null;
  const month = monthOf(period);
  const known = values.months.get(month) ?? EMPTY;
  if (known.lastImported === period) return null;
  const units = valueUnits(after);
  const added = before === null ? withAdded(known, period, previousOf(values)) : {};
  const sum = unitsOf(known.sum) + units - unitsOf(before);
  const isShown = firstDay(month) >= values.first;
  const changed = { ...known, ...added, sum: valueText(sum), changes: known.changes + 1 };
  return {
    ...values,
    ...(isShown ? { months: new Map(values.months).set(month, changed) } : {}),
    ...(isShown && frequency === 'daily' && period >= values.firstDay
      ? { days: new Map(values.days).set(period, units) }
      : {}),
    ...(before === null
      ? { from: values.from ?? period, through: frequency === 'daily' ? period : lastDay(month) }
      : {}),
  };
}

const unitsOf = (value: DecimalText | null): bigint => (value === null ? 0n : valueUnits(value));

/** Returns the last period with a value; null without values. */
const previousOf = ({ frequency, through }: ValueMonths): Day | null =>
  through === null || frequency === 'daily' ? through : firstDay(monthOf(through));

/** Returns what a new value after all others changes of its month. */
function withAdded(known: ValueMonth, period: Day, previous: Day | null) {
  const gap = previous === null ? null : daysInclusive(previous, period) - 2;
  const longestGap = gap === null ? known.longestGap : Math.max(gap, known.longestGap ?? gap);
  return { count: known.count + 1, last: period, longestGap };
}
