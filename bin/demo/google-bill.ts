import type { Day, Month } from '../../domain/shared/calendar.ts';
import { billedIn, chargedOn, chargedThrough, costs, units, type Bill, type FocusRow } from './focus-row.ts';
import { usageByHour, type MeteredResource } from './metered-resource.ts';
import { wobble } from './noise.ts';

const BILLING_ACCOUNT = '01D3E0-000000-000001';
/** The project of the shop's search. */
export const SEARCH = { account: 'shop-search', accountName: 'shop-search' };
/** The project in which clicks are analysed. */
export const ANALYTICS = { account: 'shop-analytics', accountName: 'shop-analytics' };

const RESOURCES: readonly MeteredResource[] = [
  {
    ...SEARCH,
    service: 'Kubernetes Engine',
    category: 'Compute',
    resource: '//container.googleapis.com/projects/shop-search/clusters/search',
    dollarsPerDay: 88,
    load: 'busy',
    tags: { team: 'search' },
  },
  {
    ...SEARCH,
    service: 'Cloud SQL',
    category: 'Databases',
    resource: '//cloudsql.googleapis.com/projects/shop-search/instances/catalogue',
    dollarsPerDay: 34,
    load: 'steady',
    tags: { team: 'search' },
  },
  {
    ...ANALYTICS,
    service: 'BigQuery',
    category: 'Analytics',
    resource: '//bigquery.googleapis.com/projects/shop-analytics/datasets/clicks',
    dollarsPerDay: 52,
    load: 'office',
    tags: { team: 'data' },
  },
  {
    ...ANALYTICS,
    service: 'Cloud Storage',
    category: 'Storage',
    resource: '//storage.googleapis.com/shop-clicks',
    dollarsPerDay: 14,
    load: 'steady',
    tags: { team: 'data' },
  },
];

const SUPPORT_PER_MONTH = units(500);
const CREDIT_PER_DAY = -18;

/** Google's bill of a month: hourly usage of `days`, a daily credit for it, and support for the month. */
export const googleBill = (month: Month, days: readonly Day[]): Bill => ({
  shared: {
    ...billedIn(month),
    BillingAccountId: BILLING_ACCOUNT,
    ProviderName: 'Google Cloud',
    RegionId: 'europe-west1',
  },
  rows: rowsOf(month, days),
});

function* rowsOf(month: Month, days: readonly Day[]): Generator<FocusRow> {
  yield support(month);
  for (const day of days) {
    for (const resource of RESOURCES) yield* usageByHour(resource, day);
    yield credit(day);
  }
}

/** Names no project: it is the billing account's. */
const support = (month: Month): FocusRow => ({
  ...chargedThrough(month),
  ...costs(SUPPORT_PER_MONTH),
  ChargeCategory: 'Purchase',
  ChargeDescription: 'Enhanced support',
  ServiceCategory: 'Other',
  ServiceName: 'Support',
});

const credit = (day: Day): FocusRow => ({
  ...chargedOn(day),
  ...costs(units(CREDIT_PER_DAY * wobble(`credit ${day}`, 0.2))),
  ChargeCategory: 'Credit',
  ChargeDescription: 'Committed spend credit',
  ServiceCategory: 'Compute',
  ServiceName: 'Compute Engine',
  SubAccountId: SEARCH.account,
  SubAccountName: SEARCH.accountName,
});
