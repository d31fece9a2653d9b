import { addDays, addMonths, firstDay, type Day, type Month } from '../../domain/shared/calendar.ts';
import { csvLine } from './csv-line.ts';

/** The columns of the sample exports, a part of FOCUS 1.0, in the order in which they are written. */
const COLUMNS = [
  'BilledCost',
  'BillingAccountId',
  'BillingCurrency',
  'BillingPeriodStart',
  'BillingPeriodEnd',
  'ChargeCategory',
  'ChargeDescription',
  'ChargePeriodStart',
  'ChargePeriodEnd',
  'CommitmentDiscountId',
  'CommitmentDiscountStatus',
  'EffectiveCost',
  'ProviderName',
  'RegionId',
  'ResourceId',
  'ServiceCategory',
  'ServiceName',
  'SubAccountId',
  'SubAccountName',
  'Tags',
  'x_ResourceGroupName',
] as const;

/** One line of an export; what it does not name is null. */
export type FocusRow = Partial<Record<(typeof COLUMNS)[number], string>>;

/** A bill: columns that all its lines share, and the lines with what is their own. */
export interface Bill {
  shared: FocusRow;
  rows: Iterable<FocusRow>;
}

/** A bill as CSV, line by line. */
export function* focusCsv({ shared, rows }: Bill): Generator<string> {
  yield csvLine(COLUMNS);
  for (const row of rows) yield csvLine(COLUMNS.map((column) => row[column] ?? shared[column] ?? ''));
}

/** Units of money per dollar: amounts are whole numbers of 10⁻⁸ dollars until they are written. */
export const UNITS_PER_DOLLAR = 1e8;

/** An amount of dollars as the whole number of units next to it. */
export const units = (dollars: number): number => Math.round(dollars * UNITS_PER_DOLLAR);

/** An amount in units as the decimal text of a cost column. */
export const decimal = (amount: number): string => (amount / UNITS_PER_DOLLAR).toFixed(8);

/** The billing period of a month. */
export const billedIn = (month: Month): FocusRow => ({
  BillingCurrency: 'USD',
  BillingPeriodStart: midnight(firstDay(month)),
  BillingPeriodEnd: midnight(firstDay(addMonths(month, 1))),
});

/** A charge period that is one UTC day. */
export const chargedOn = (day: Day): FocusRow => ({
  ChargePeriodStart: midnight(day),
  ChargePeriodEnd: midnight(addDays(day, 1)),
});

/** A charge period that is one hour, 0 to 23, of a UTC day. */
export const chargedAt = (day: Day, hour: number): FocusRow => ({
  ChargePeriodStart: `${day}T${hour.toString().padStart(2, '0')}:00:00Z`,
  ChargePeriodEnd:
    hour === 23 ? midnight(addDays(day, 1)) : `${day}T${(hour + 1).toString().padStart(2, '0')}:00:00Z`,
});

/** A charge period that spans a whole month. */
export const chargedThrough = (month: Month): FocusRow => ({
  ChargePeriodStart: midnight(firstDay(month)),
  ChargePeriodEnd: midnight(firstDay(addMonths(month, 1))),
});

/** The same amount in both cost columns. */
export const costs = (amount: number): FocusRow => ({
  BilledCost: decimal(amount),
  EffectiveCost: decimal(amount),
});

const midnight = (day: Day): string => `${day}T00:00:00Z`;
