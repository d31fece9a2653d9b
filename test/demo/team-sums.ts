import {
  accountCosts,
  allocated,
  monthOf,
  repositoryCosts,
  sumBy,
  together,
  type Exports,
  type Sums,
} from './counted-sums.ts';

/** What a service on a host costs by month. */
const serviceCosts = ({ hosts }: Exports, host: string, service: string): Sums =>
  sumBy(
    hosts.filter((line) => line['host'] === host && line['service'] === service),
    'cost',
    monthOf,
  );

/** What team Shop owns, by month: of a host its services, not what they leave idle. */
export const shopDirect = (exports: Exports, today: string): Sums =>
  together(
    allocated(exports.prod, { Namespace: 'checkout' }),
    allocated(exports.prod, { Namespace: 'delivery' }),
    serviceCosts(exports, 'db-1', 'postgres'),
    serviceCosts(exports, 'db-1', 'pgbouncer'),
    accountCosts(exports, '210000000001', today),
    repositoryCosts(exports, 'github.com/sample-shop/checkout'),
    repositoryCosts(exports, 'github.com/sample-shop/storefront'),
  );

/** What team Search owns, by month. */
export const searchDirect = (exports: Exports, today: string): Sums =>
  together(
    allocated(exports.prod, { Namespace: 'search' }),
    serviceCosts(exports, 'cellar-1', 'builds'),
    accountCosts(exports, 'shop-search', today),
    accountCosts(exports, '/subscriptions/5e1f0000-0000-4000-8000-000000000002', today),
    repositoryCosts(exports, 'github.com/sample-shop/search'),
  );

/** A team's parts of a month's shared costs, in the order in which they were made; null waits for its values. */
export interface SharedParts {
  staging: bigint;
  data: bigint;
  platform: bigint | null;
}

/** The parts of a month's shared costs of Shop and Search, by the gateway calls of the month where there are any. */
export const sharedParts = (
  exports: Exports,
  today: string,
  month: string,
  calls: { checkout: bigint; search: bigint; partners: bigint } | null,
): { shop: SharedParts; search: SharedParts } => {
  const costOf = (...accounts: string[]): bigint =>
    together(...accounts.map((account) => accountCosts(exports, account, today))).get(month) ?? 0n;
  const staging =
    costOf('210000000003') + (allocated(exports.prod, { Namespace: 'platform' }).get(month) ?? 0n);
  const data = costOf('210000000002', 'shop-analytics');
  const platform = costOf('210000000004');
  const part = (count: bigint): bigint | null =>
    calls === null ? null : (platform * count) / (calls.checkout + calls.search + calls.partners);
  return {
    shop: { staging: staging / 2n, data: (data * 60n) / 100n, platform: part(calls?.checkout ?? 0n) },
    search: { staging: staging / 2n, data: (data * 25n) / 100n, platform: part(calls?.search ?? 0n) },
  };
};

/** The sum of a team's parts. */
export const sharedSum = ({ staging, data, platform }: SharedParts): bigint =>
  staging + data + (platform ?? 0n);
