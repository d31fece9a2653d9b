import { addDays, daysInclusive, firstDay, firstDayAfter, lastDay } from '../../domain/shared/calendar.ts';
import type { Day, Month } from '../../domain/shared/calendar.ts';
import { noise, wobble } from './demand.ts';
import { ACCOUNTS, costOfDay, resource, RESOURCES } from './resources.ts';
import type { Account, Cloud, Resource } from './resources.ts';

/** A line of a bill by the columns of FOCUS 1.0. Columns that it lacks are empty. */
type Line = Record<string, string>;

const AZURE_PAYER = '/providers/Microsoft.Billing/billingAccounts/7700100';
const PROVIDERS: Record<Cloud, Line> = {
  aws: { ProviderName: 'AWS', RegionId: 'eu-west-1', BillingAccountId: ACCOUNTS.payer.id },
  azure: { ProviderName: 'Microsoft', RegionId: 'westeurope', BillingAccountId: AZURE_PAYER },
  gcp: { ProviderName: 'Google Cloud', RegionId: 'europe-west1', BillingAccountId: '01D3E0-000000-000001' },
};

/** Returns a cloud's bill of a month as rows, the header first. A restated bill also has a correction. */
export function billRows(cloud: Cloud, days: readonly Day[], month: Month, restated = false): string[][] {
  const [BillingPeriodStart, BillingPeriodEnd] = [instant(firstDay(month)), instant(firstDayAfter(month))];
  const whole = { ChargePeriodStart: BillingPeriodStart, ChargePeriodEnd: BillingPeriodEnd };
  const lines = [
    ...(restated ? [correction(lastDay(month))] : []),
    ...monthlyCharges(month, whole)[cloud],
    ...days.flatMap((day) => [
      ...RESOURCES.filter((each) => each.cloud === cloud).flatMap((each) => usage(each, day)),
      ...dailyCharges(day)[cloud],
    ]),
  ];
  const shared = { ...PROVIDERS[cloud], BillingCurrency: 'USD', BillingPeriodStart, BillingPeriodEnd };
  const complete = lines.map((line): Line => ({ ...shared, ...line }));
  const columns = [...new Set(complete.flatMap(Object.keys))];
  return [columns, ...complete.map((line) => columns.map((column) => line[column] ?? ''))];
}

const instant = (day: Day, hour = 0): string =>
  hour === 24 ? instant(addDays(day, 1)) : `${day}T${hour.toString().padStart(2, '0')}:00:00Z`;
const hours = (day: Day, from: number, to: number): Line => ({
  ChargePeriodStart: instant(day, from),
  ChargePeriodEnd: instant(day, to),
});

/** A line of a bill. The invoice has the same cost, unless `columns` have another one. */
const charge = (category: string, what: string, cost: number, period: Line, columns: Line): Line => ({
  ChargeCategory: category,
  ChargeDescription: what,
  ...period,
  EffectiveCost: cost.toFixed(8),
  BilledCost: cost.toFixed(8),
  ...columns,
});
const service = (category: string, name = ''): Line => ({ ServiceCategory: category, ServiceName: name });
const account = ({ id, name }: Account): Line => ({ SubAccountId: id, SubAccountName: name });

const HOURS = Array.from({ length: 24 }, (_, hour) => hour);
/** The cost of an hour by day, and of one by night, as factors of the mean. */
const HOUR_LEVELS = { busy: [1.3, 0.7], office: [1.7, 0.3], steady: [1, 1] } as const;

/** Returns a resource's line for a day, or a line for each of its hours. */
function usage(used: Resource, day: Day): Line[] {
  const cost = costOfDay(used, day);
  const line = (costOfLine: number, period: Line): Line =>
    charge('Usage', `${used.columns.ServiceName}, on demand`, costOfLine, period, used.columns);
  if (used.billedPer === 'day') return [line(cost, hours(day, 0, 24))];
  const [byDay, byNight] = HOUR_LEVELS[used.load];
  return HOURS.map((hour) =>
    line((cost / 24) * (hour >= 7 && hour < 19 ? byDay : byNight), hours(day, hour, hour + 1)),
  );
}

const STOREFRONT = resource('i-0a10000000000001').columns;
const SAVINGS_PLAN = `arn:aws:savingsplans::${ACCOUNTS.payer.id}:savingsplan/1f0c`;
/** The Savings Plan costs this much in every hour of the month, used or not. */
const COMMITMENT = 4.2;

/** Returns what each cloud charges for a month beside usage. The invoice has the whole Savings Plan at once. */
function monthlyCharges(month: Month, whole: Line): Record<Cloud, Line[]> {
  const commitment = COMMITMENT * 24 * daysInclusive(firstDay(month), lastDay(month));
  const plan = { ...service('Compute', 'Savings Plans for AWS Compute usage'), ...account(ACCOUNTS.payer) };
  const ofPlan = { ...plan, CommitmentDiscountId: SAVINGS_PLAN, BilledCost: commitment.toFixed(8) };
  const ec2 = service('Other', STOREFRONT.ServiceName);
  const licence = { ...service('Other'), ...account(ACCOUNTS.backOffice), x_ResourceGroupName: 'rg-erp' };
  return {
    aws: [
      charge('Purchase', 'Compute Savings Plan, one year, no upfront', 0, whole, ofPlan),
      charge('Tax', 'Tax for product code AmazonEC2, "standard" rate', 1_840.15, whole, ec2),
    ],
    azure: [charge('Purchase', 'Fraud screening, marketplace licence', 449.99, whole, licence)],
    gcp: [charge('Purchase', 'Enhanced support', 500, whole, service('Other', 'Support'))],
  };
}

/** Returns what each cloud charges on a day beside usage. On the 2nd, AWS reports an hour of the month before. */
function dailyCharges(day: Day): Record<Cloud, Line[]> {
  const late = hours(addDays(day, -2), 23, 24);
  const credit = -18 * wobble(`credit ${day}`, 0.2);
  const engine = { ...service('Compute', 'Compute Engine'), ...account(ACCOUNTS.search) };
  return {
    aws: [
      ...HOURS.flatMap((hour) => planUsage(day, hour)),
      ...(day.endsWith('-02') ? [charge('Usage', 'Late data transfer', 37.418, late, STOREFRONT)] : []),
      ...(day.endsWith('-12')
        ? [charge('Credit', 'Refund, service level not met', -212.5, hours(day, 0, 1), STOREFRONT)]
        : []),
    ],
    azure: [],
    gcp: [charge('Credit', 'Committed spend credit', credit, hours(day, 0, 24), engine)],
  };
}

/** Returns the used and the unused part of the Savings Plan in an hour. Both are already on the invoice. */
function planUsage(day: Day, hour: number): Line[] {
  const used = COMMITMENT * (0.78 + 0.2 * noise(`savings plan ${day} ${hour}`));
  const period = hours(day, hour, hour + 1);
  const ec2 = service(STOREFRONT.ServiceCategory, STOREFRONT.ServiceName);
  const plan = { ...ec2, CommitmentDiscountId: SAVINGS_PLAN, BilledCost: '0.00000000' };
  const covered = { ...plan, ...account(ACCOUNTS.shop), ResourceId: STOREFRONT.ResourceId };
  const rest = { ...plan, ...account(ACCOUNTS.payer), ResourceId: SAVINGS_PLAN };
  const lines = [
    charge('Usage', 'Covered by Compute Savings Plan', used, period, covered),
    charge('Usage', 'Unused part of Compute Savings Plan', COMMITMENT - used, period, rest),
  ];
  return lines.map((line, index) => ({ ...line, CommitmentDiscountStatus: index === 0 ? 'Used' : 'Unused' }));
}

const correction = (day: Day): Line =>
  charge('Adjustment', 'Correction of data transfer prices', -1_260.4, hours(day, 0, 1), {
    ...service('Networking', 'AWS Data Transfer'),
    ...account(ACCOUNTS.shop),
  });
