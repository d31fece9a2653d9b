import type Big from 'big.js';
import { dayOf, isDay, monthOf } from '../shared/calendar.ts';
import { CONTROL_CHARACTER, NO_CONTROL_CHARACTERS } from '../shared/text/control-characters.ts';
import {
  decimalOf,
  fitsValueDecimals,
  isPlainValue,
  LARGEST_VALUE,
  roundedToValue,
} from '../shared/decimals.ts';
import { PERIOD_FORMAT, type Frequency, type MetricKind } from './metric.ts';
import { forMessage } from '../shared/text/for-message.ts';

/** Longest label, in characters. */
export const LONGEST_LABEL = 200;

/** The fields of a metric that decide which values it accepts. */
export interface ValueRules {
  kind: MetricKind;
  frequency: Frequency;
  label_key: string | null;
}

/** A value as sent: a number in JSON, its text in a CSV file. */
export interface SentValue {
  period: string;
  label?: string | undefined;
  value: number | string;
}

/** Why a value cannot be stored: the field, what was expected and what came. */
export interface ValueProblem {
  field: 'period' | 'label' | 'value';
  problem: string;
}

/** A decimal, plain or with an exponent. It rejects other forms that some parsers accept: `1_000`, ` 5` or `inf`. */
const NUMBER = /^-?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,4})?$/;

/** Whether a field of a CSV file is a number. */
export const isNumberText = (text: string): boolean => NUMBER.test(text);

/** Returns the newest period that is not in the future. */
export function newestPeriod(frequency: Frequency, now: Date): string {
  const today = dayOf(now);
  return frequency === 'daily' ? today : monthOf(today);
}

const MONTH = /^\d{4}-(0[1-9]|1[0-2])$/;
const YEAR_ZERO = '0000';

/** Whether a period has the format of the frequency (docs/http.md#send-values), and exists. */
export const isPeriod = (text: string, frequency: Frequency): boolean =>
  frequency === 'daily' ? isDay(text) : MONTH.test(text) && !text.startsWith(YEAR_ZERO);

/** Returns the message for a period that does not have the format of the metric's frequency. */
export const wrongPeriod = (period: string, frequency: Frequency): string =>
  `expected ${PERIOD_FORMAT[frequency]} for a ${frequency} metric, got ${forMessage(period)}`;

/** Returns the message for a period and label that the same request or file has already, at `before`. */
export function sentTwice(
  { period, label = '' }: Pick<SentValue, 'period' | 'label'>,
  within: 'request' | 'file',
  before: string,
): string {
  const once = label === '' ? 'each period once' : 'each period and label once';
  const what = label === '' ? forMessage(period) : `${forMessage(period)} with label ${forMessage(label)}`;
  return `period: expected ${once} in a ${within}, got ${what}, which ${before} already has`;
}

/**
 * Checks a value. JSON, CSV files, values by hand and imports share this rule (docs/http.md#send-values). The period must have
 * the right format and not be after `newest`. The rule also covers the label, and the range of the rounded number: a day of
 * refunds has negative revenue. No message repeats revenue. Returns null if the value can be stored.
 */
export function valueProblem(
  { kind, frequency, label_key }: ValueRules,
  newest: string,
  { period, label, value }: SentValue,
): ValueProblem | null {
  if (!isPeriod(period, frequency)) return { field: 'period', problem: wrongPeriod(period, frequency) };
  if (period > newest) {
    const expected = `expected a period not after ${newest}`;
    return { field: 'period', problem: `${expected}, got ${forMessage(period)}, which is in the future` };
  }
  const label_problem = labelProblem(label_key, label);
  if (label_problem !== null) return { field: 'label', problem: label_problem };
  const value_problem = kind === 'revenue' ? revenueProblem(value) : countProblem(value);
  return value_problem === null ? null : { field: 'value', problem: value_problem };
}

/** Returns why a label cannot be stored on a metric with this label key, or null. Labels are sent in their normal form. */
export function labelProblem(labelKey: string | null, label: string | undefined): string | null {
  if (labelKey === null)
    return label === undefined
      ? null
      : `expected no label on a metric without a label key, got ${forMessage(label)}`;
  if (label === undefined || !/\S/.test(label))
    return `expected a label for the label key ${forMessage(labelKey)}, got ${forMessage(label)}`;
  if (label.length > LONGEST_LABEL && Array.from(label).length > LONGEST_LABEL)
    return `expected at most ${LONGEST_LABEL} characters, got ${forMessage(label)}`;
  if (CONTROL_CHARACTER.test(label)) return `${NO_CONTROL_CHARACTERS}, got ${forMessage(label)}`;
  return /\p{Surrogate}/u.test(label) ? `expected Unicode text, got ${forMessage(label)}` : null;
}

/**
 * Returns a value as it is stored: rounded to ten decimals, half away from zero. `isRounded` is true if that changes the number.
 * Programs that add floating-point numbers send such values. −0 is 0.
 *
 * @param value a number, or a text that {@link isNumberText} accepts.
 */
export function storableValue(value: number | string): { value: number | string; isRounded: boolean } {
  if (typeof value === 'number' ? Number.isSafeInteger(value) : isPlainValue(value))
    return { value: value === 0 ? '0' : value, isRounded: false };
  const exact = exactOf(value);
  if (exact.eq(0)) return { value: '0', isRounded: false };
  if (fitsValueDecimals(exact)) return { value, isRounded: false };
  return { value: roundedToValue(exact).toFixed(), isRounded: true };
}

const AT_LEAST_0 = 'expected a number of at least 0';
const AT_MOST = 'expected a number of at most 1e15';
const BETWEEN = 'expected a number from -1e15 to 1e15';

function countProblem(value: number | string): string | null {
  const problem = isSmallCount(value) ? null : rangeProblem(value);
  return problem === null ? null : `${problem}, got ${forMessage(value)}`;
}

/** Whether a value is certainly in the range of a count. Most values are. */
const isSmallCount = (value: number | string): boolean =>
  typeof value === 'number' ? value >= 0 && value <= LARGEST_VALUE : isPlainValue(value);

function rangeProblem(value: number | string): string | null {
  const amount = amountOf(value);
  if (amount === null || amount.lt(0)) return AT_LEAST_0;
  return amount.gt(LARGEST_VALUE) ? AT_MOST : null;
}

function revenueProblem(value: number | string): string | null {
  const amount = amountOf(value);
  return amount === null || amount.abs().gt(LARGEST_VALUE) ? BETWEEN : null;
}

/** Returns the rounded number of a value, or null if it is no number. */
const amountOf = (value: number | string): Big | null =>
  isNumberText(value.toString()) ? roundedToValue(exactOf(value)) : null;

/** Decimals after the eleventh. Only whether they are all 0 decides if the number is rounded, so that long ones cost little. */
const TAIL = /^(-?\d+\.\d{11})(\d+)$/;

const exactOf = (value: number | string): Big =>
  decimalOf(
    value
      .toString()
      .replace(TAIL, (_, kept: string, tail: string) => (/[1-9]/.test(tail) ? `${kept}1` : kept)),
  );
