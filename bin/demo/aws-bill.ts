import {
  addDays,
  daysInclusive,
  firstDay,
  lastDay,
  type Day,
  type Month,
} from '../../domain/shared/calendar.ts';
import {
  billedIn,
  chargedAt,
  chargedThrough,
  costs,
  decimal,
  units,
  type Bill,
  type FocusRow,
} from './focus-row.ts';
import { usageByHour, usageOf, usageOfDay, type MeteredResource } from './metered-resource.ts';
import { noise } from './noise.ts';
import { CARTS, DB_MACHINE, PROD_DISK, PROD_NODES } from './platform-account.ts';

const PAYER = '100000000001';
/** The account in which the shop itself runs. */
export const SHOP = { account: '210000000001', accountName: 'Shop production' };
/** The account of the sales warehouse and the data lake. */
export const DATA = { account: '210000000002', accountName: 'Data platform' };
/** The account in which the shop is tried out. */
export const STAGING = { account: '210000000003', accountName: 'Shop staging' };
const EC2 = { service: 'Amazon Elastic Compute Cloud', category: 'Compute' };
const S3 = { service: 'Amazon Simple Storage Service', category: 'Storage' };

const instance = (account: string, id: string): string => `arn:aws:ec2:eu-west-1:${account}:instance/${id}`;

const STOREFRONT: MeteredResource = {
  ...SHOP,
  ...EC2,
  resource: instance(SHOP.account, 'i-0a10000000000001'),
  dollarsPerDay: 168,
  load: 'busy',
  tags: { team: 'storefront', env: 'production' },
};

const RESOURCES: readonly MeteredResource[] = [
  STOREFRONT,
  {
    ...SHOP,
    ...EC2,
    resource: instance(SHOP.account, 'i-0a10000000000002'),
    dollarsPerDay: 121,
    load: 'busy',
    tags: { team: 'checkout', env: 'production' },
  },
  {
    ...SHOP,
    service: 'Amazon Relational Database Service',
    category: 'Databases',
    resource: `arn:aws:rds:eu-west-1:${SHOP.account}:db:orders`,
    dollarsPerDay: 144,
    load: 'steady',
    tags: { team: 'checkout', env: 'production' },
  },
  {
    ...SHOP,
    service: 'Amazon CloudFront',
    category: 'Networking',
    resource: `arn:aws:cloudfront::${SHOP.account}:distribution/E1SHOP`,
    dollarsPerDay: 58,
    load: 'busy',
    tags: { team: 'storefront', env: 'production' },
  },
  { ...SHOP, ...S3, resource: 'arn:aws:s3:::shop-images', dollarsPerDay: 31, load: 'steady' },
  {
    ...DATA,
    service: 'Amazon Redshift',
    category: 'Analytics',
    resource: `arn:aws:redshift:eu-west-1:${DATA.account}:cluster:sales`,
    dollarsPerDay: 96,
    load: 'steady',
    tags: { team: 'data' },
  },
  {
    ...DATA,
    ...S3,
    resource: 'arn:aws:s3:::shop-lake',
    dollarsPerDay: 42,
    load: 'steady',
    tags: { team: 'data' },
  },
  {
    ...STAGING,
    ...EC2,
    resource: instance(STAGING.account, 'i-0a30000000000001'),
    dollarsPerDay: 47,
    load: 'office',
    tags: { env: 'staging' },
  },
  ...PROD_NODES,
  DB_MACHINE,
];

/** What AWS bills by the day. */
const DAILY_RESOURCES: readonly MeteredResource[] = [PROD_DISK, CARTS];

const HOURS = Array.from({ length: 24 }, (_, hour) => hour);
const TAX_PER_MONTH = units(1_840.15);
const REFUND = units(-212.5);
const CORRECTION = units(-1_260.4);
/** The Savings Plan is paid for every hour of the month, used or not. */
const COMMITMENT_PER_HOUR = units(4.2);
const SAVINGS_PLAN = `arn:aws:savingsplans::${PAYER}:savingsplan/1f0c`;

/**
 * AWS's bill of a month: hourly usage of `days`; a Savings Plan, bought for the month and amortised by the hour;
 * tax; a refund; and an hour of the month before that came too late for that month's bill. A restated bill has a
 * correction too.
 */
export const awsBill = (month: Month, days: readonly Day[], isRestated: boolean): Bill => ({
  shared: {
    ...billedIn(month),
    BillingAccountId: PAYER,
    ProviderName: 'AWS',
    RegionId: 'eu-west-1',
  },
  rows: rowsOf(month, days, isRestated),
});

function* rowsOf(month: Month, days: readonly Day[], isRestated: boolean): Generator<FocusRow> {
  yield purchase(month);
  yield tax(month);
  if (isRestated) yield correction(lastDay(month));
  for (const day of days) {
    for (const resource of RESOURCES) yield* usageByHour(resource, day);
    for (const resource of DAILY_RESOURCES) yield usageOfDay(resource, day);
    for (const hour of HOURS) yield* commitment(day, hour);
    if (day.endsWith('-02')) yield lateUsage(addDays(firstDay(month), -1));
    if (day.endsWith('-12')) yield refund(day);
  }
}

/** What the plan covers costs nothing more: only its share of the commitment, and what nobody used of it. */
const commitment = (day: Day, hour: number): FocusRow[] => {
  const used = Math.round(COMMITMENT_PER_HOUR * (0.78 + 0.2 * noise(`savings plan ${day} ${hour}`)));
  const shared = {
    ...chargedAt(day, hour),
    ChargeCategory: 'Usage',
    ServiceCategory: EC2.category,
    ServiceName: EC2.service,
    CommitmentDiscountId: SAVINGS_PLAN,
    BilledCost: decimal(0),
  };
  return [
    {
      ...shared,
      ChargeDescription: 'Covered by Compute Savings Plan',
      CommitmentDiscountStatus: 'Used',
      EffectiveCost: decimal(used),
      ResourceId: STOREFRONT.resource,
      SubAccountId: SHOP.account,
      SubAccountName: SHOP.accountName,
    },
    {
      ...shared,
      ChargeDescription: 'Unused part of Compute Savings Plan',
      CommitmentDiscountStatus: 'Unused',
      EffectiveCost: decimal(COMMITMENT_PER_HOUR - used),
      ResourceId: SAVINGS_PLAN,
      SubAccountId: PAYER,
      SubAccountName: 'Payer',
    },
  ];
};

const purchase = (month: Month): FocusRow => ({
  ...chargedThrough(month),
  ChargeCategory: 'Purchase',
  ChargeDescription: 'Compute Savings Plan, one year, no upfront',
  CommitmentDiscountId: SAVINGS_PLAN,
  BilledCost: decimal(COMMITMENT_PER_HOUR * 24 * daysInclusive(firstDay(month), lastDay(month))),
  EffectiveCost: decimal(0),
  ServiceCategory: EC2.category,
  ServiceName: 'Savings Plans for AWS Compute usage',
  SubAccountId: PAYER,
  SubAccountName: 'Payer',
});

/** Names no sub account, as tax does not: it is the billing account's. */
const tax = (month: Month): FocusRow => ({
  ...chargedThrough(month),
  ...costs(TAX_PER_MONTH),
  ChargeCategory: 'Tax',
  ChargeDescription: 'Tax for product code AmazonEC2, "standard" rate',
  ServiceCategory: 'Other',
  ServiceName: EC2.service,
});

const lateUsage = (day: Day): FocusRow => ({
  ...usageOf(STOREFRONT),
  ...chargedAt(day, 23),
  ...costs(units(37.418)),
  ChargeDescription: 'Data transfer out, reported late',
});

const refund = (day: Day): FocusRow => ({
  ...usageOf(STOREFRONT),
  ...chargedAt(day, 0),
  ...costs(REFUND),
  ChargeCategory: 'Credit',
  ChargeDescription: 'Refund, service level not met',
});

const correction = (day: Day): FocusRow => ({
  ...chargedAt(day, 0),
  ...costs(CORRECTION),
  ChargeCategory: 'Adjustment',
  ChargeDescription: 'Correction of data transfer prices',
  ServiceCategory: 'Networking',
  ServiceName: 'AWS Data Transfer',
  SubAccountId: SHOP.account,
  SubAccountName: SHOP.accountName,
});
