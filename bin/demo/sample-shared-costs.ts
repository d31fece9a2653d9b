import type { Split } from '../../domain/teams/shared-cost.ts';
import type { SpendPick } from '../../domain/spend/spend-pick.ts';
import { DATA, STAGING } from './aws-bill.ts';
import { ANALYTICS } from './google-bill.ts';
import { PLATFORM } from './platform-account.ts';

/** A shared cost of the sample organisation as the API takes it. */
export interface SampleSharedCost {
  name: string;
  spend: SpendPick[];
  split: Split;
}

/**
 * Spend that both teams use, once for each way to split it. Nobody has 15 % of the data platform, nor the
 * gateway calls of partners, which are no team's: both stay unallocated.
 */
export const sampleSharedCosts = (ids: {
  shop: string;
  search: string;
  gatewayCalls: string;
}): SampleSharedCost[] => [
  {
    name: 'Staging and logs',
    spend: [
      { source: 'cloud', cloud: 'aws', account: STAGING.account },
      { source: 'kubernetes', cluster: 'prod', namespace: 'platform' },
    ],
    split: { type: 'even', team_ids: [ids.shop, ids.search] },
  },
  {
    name: 'Data platform',
    spend: [
      { source: 'cloud', cloud: 'aws', account: DATA.account },
      { source: 'cloud', cloud: 'gcp', account: ANALYTICS.account },
    ],
    split: {
      type: 'fixed',
      shares: [
        { team_id: ids.shop, percent: 60 },
        { team_id: ids.search, percent: 25 },
      ],
    },
  },
  {
    name: 'Shop platform',
    spend: [{ source: 'cloud', cloud: 'aws', account: PLATFORM.account }],
    split: {
      type: 'metric',
      metric_id: ids.gatewayCalls,
      labels: { checkout: ids.shop, search: ids.search },
    },
  },
];
