import type { SpendPick } from '../../domain/spend/spend-pick.ts';
import { SHOP } from './aws-bill.ts';
import { INSIGHT } from './azure-bill.ts';
import { SEARCH } from './google-bill.ts';

/** A team of the sample organisation and what it owns. */
export interface SampleTeam {
  name: string;
  ownership: SpendPick[];
}

/** The team that runs the shop. */
export const SHOP_TEAM: SampleTeam = {
  name: 'Shop',
  ownership: [
    { source: 'kubernetes', cluster: 'prod', namespace: 'checkout' },
    { source: 'kubernetes', cluster: 'prod', namespace: 'delivery' },
    { source: 'host', host: 'db-1' },
    { source: 'cloud', cloud: 'aws', account: SHOP.account },
    { source: 'repository', repository: 'github.com/sample-shop/checkout' },
    { source: 'repository', repository: 'github.com/sample-shop/storefront' },
  ],
};

/** The team that finds and recommends. */
export const SEARCH_TEAM: SampleTeam = {
  name: 'Search',
  ownership: [
    { source: 'kubernetes', cluster: 'prod', namespace: 'search' },
    { source: 'host', host: 'cellar-1', service: 'builds' },
    { source: 'cloud', cloud: 'gcp', account: SEARCH.account },
    { source: 'cloud', cloud: 'azure', account: INSIGHT.account },
    { source: 'repository', repository: 'github.com/sample-shop/search' },
  ],
};
