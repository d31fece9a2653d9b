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

/** Returns what a service on a host costs by month. */
const serviceCosts = ({ hosts }: Exports, host: string, service: string): Sums =>
  sumBy(
    hosts.filter((line) => line['host'] === host && line['service'] === service),
    'cost',
    monthOf,
  );

/** What teams own and share, by month. A host counts with its services, without its idle capacity. */
export interface TeamSums {
  shop: Sums;
  search: Sums;
  staging: Sums;
  data: Sums;
  platform: Sums;
}

/** Returns what the teams of the demo own, and what each shared cost covers. */
export function teamSums(exports: Exports, today: string): TeamSums {
  const account = (id: string): Sums => accountCosts(exports, id, today);
  const namespace = (name: string): Sums => allocated(exports.prod, { Namespace: name });
  const repository = (name: string): Sums => repositoryCosts(exports, `github.com/sample-shop/${name}`);
  return {
    shop: together(
      ...[namespace('checkout'), namespace('delivery'), account('210000000001')],
      ...[serviceCosts(exports, 'db-1', 'postgres'), serviceCosts(exports, 'db-1', 'pgbouncer')],
      ...[repository('checkout'), repository('storefront')],
    ),
    search: together(
      ...[namespace('search'), serviceCosts(exports, 'cellar-1', 'builds'), repository('search')],
      ...[account('shop-search'), account('/subscriptions/5e1f0000-0000-4000-8000-000000000002')],
    ),
    staging: together(account('210000000003'), namespace('platform')),
    data: together(account('210000000002'), account('shop-analytics')),
    platform: account('210000000004'),
  };
}

/** The gateway calls of a month by caller; partners are not a team. */
export interface Calls {
  checkout: bigint;
  search: bigint;
  partners: bigint;
}

/** A team's bill of a month in units. Its parts of shared costs are in the order in which those were created. */
export interface ExpectedBill {
  direct: bigint;
  parts: { staging: bigint; data: bigint; platform: bigint };
  shared: bigint;
  fullyLoaded: bigint;
}

/** Returns each team's bill of a month. Without calls nobody has a part of the platform yet. */
export function expectedBills(
  sums: TeamSums,
  month: string,
  calls: Calls | null,
): { Shop: ExpectedBill; Search: ExpectedBill } {
  const ofMonth = (amounts: Sums): bigint => amounts.get(month) ?? 0n;
  const bill = (own: Sums, percent: bigint, made: bigint): ExpectedBill => {
    const all = calls === null ? 1n : calls.checkout + calls.search + calls.partners;
    const parts = {
      staging: ofMonth(sums.staging) / 2n,
      data: (ofMonth(sums.data) * percent) / 100n,
      platform: (ofMonth(sums.platform) * made) / all,
    };
    const shared = parts.staging + parts.data + parts.platform;
    return { direct: ofMonth(own), parts, shared, fullyLoaded: ofMonth(own) + shared };
  };
  return {
    Shop: bill(sums.shop, 60n, calls?.checkout ?? 0n),
    Search: bill(sums.search, 25n, calls?.search ?? 0n),
  };
}
