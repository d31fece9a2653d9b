import type { z } from 'zod';
import type { newMetric } from '../../api/metrics/metric-fields.ts';
import type { SpendPick } from '../../domain/spend/spend-pick.ts';
import { ACCOUNTS, type Account } from '../exports/resources.ts';

const PROD = { cluster: 'prod', assets_location: 'cluster-prod-assets' };
/** The cost sources. Their locations begin in the organisation's folder. */
export const SOURCES = [
  { name: 'AWS', kind: 'focus', location: 'aws' },
  { name: 'Azure', kind: 'focus', location: 'azure' },
  { name: 'Google Cloud', kind: 'focus', location: 'google' },
  { name: 'Cluster prod', kind: 'opencost', location: 'cluster-prod', options: PROD },
  { name: 'Cluster edge', kind: 'opencost', location: 'cluster-edge', options: { cluster: 'edge' } },
  { name: 'Hosts', kind: 'hosts', location: 'hosts' },
  { name: 'AI tools', kind: 'ai_tools', location: 'ai-spend', options: { usage_location: 'ai-usage' } },
];

const account = ({ cloud, id }: Account): SpendPick => ({ source: 'cloud', cloud, account: id });
const namespace = (cluster: string, name: string, workload?: string): SpendPick => ({
  source: 'kubernetes',
  cluster,
  namespace: name,
  workload,
});
const host = (name: string, service?: string): SpendPick => ({ source: 'host', host: name, service });
const repository = (name: string): SpendPick => ({
  source: 'repository',
  repository: `github.com/sample-shop/${name}`,
});

/** The teams, and the spend that each owns. */
export const TEAMS = [
  {
    name: 'Shop',
    ownership: [
      namespace('prod', 'checkout'),
      namespace('prod', 'delivery'),
      host('db-1'),
      account(ACCOUNTS.shop),
      repository('checkout'),
      repository('storefront'),
    ],
  },
  {
    name: 'Search',
    ownership: [
      namespace('prod', 'search'),
      host('cellar-1', 'builds'),
      repository('search'),
      account(ACCOUNTS.search),
      account(ACCOUNTS.insight),
    ],
  },
];

const share = (team_id: string, percent: number) => ({ team_id, percent });

/** Spend that both teams use, once for each way to split it. Some of it has no team and stays unallocated. */
export const sharedCosts = (shop: string, search: string, gatewayCalls: string) => [
  {
    name: 'Staging and logs',
    spend: [account(ACCOUNTS.staging), namespace('prod', 'platform')],
    split: { type: 'even', team_ids: [shop, search] },
  },
  {
    name: 'Data platform',
    spend: [account(ACCOUNTS.data), account(ACCOUNTS.analytics)],
    split: { type: 'fixed', shares: [share(shop, 60), share(search, 25)] },
  },
  {
    name: 'Shop platform',
    spend: [account(ACCOUNTS.platform)],
    split: { type: 'metric', metric_id: gatewayCalls, labels: { checkout: shop, search } },
  },
];

type NewMetric = Omit<z.infer<typeof newMetric>, 'kind'>;
/** A metric as the API takes it, and its values: their size in January 2024, growth per month, and random spread. */
export interface SampleMetric {
  fields: Omit<NewMetric, 'scope' | 'label_key'>;
  label_key?: string;
  scope: NewMetric['scope'];
  values: {
    size: number | Record<string, number>;
    growth: number;
    spread: number;
    seasonal?: true;
    weekend?: number;
  };
}

const ORGANISATION = { type: 'organisation' } as const;
const spend = (...picks: SpendPick[]) => ({ type: 'spend' as const, spend: picks });

/** A shared cost is split by these calls. */
export const GATEWAY_CALLS: SampleMetric = {
  fields: { name: 'Gateway calls', unit: 'million calls', aggregation: 'total', frequency: 'monthly' },
  label_key: 'caller',
  scope: spend(account(ACCOUNTS.platform)),
  values: { size: { checkout: 620, search: 410, partners: 170 }, growth: 0.02, spread: 0.1 },
};

/** The values of this metric also decide how much the shop sells. */
export const ORDERS: SampleMetric = {
  fields: { name: 'Orders', unit: 'order', aggregation: 'total', frequency: 'daily', target: 0.36 },
  scope: ORGANISATION,
  values: { size: 3_350, growth: 0.019, seasonal: true, weekend: 1.25, spread: 0.08 },
};

/** Revenue, which the service imports. Costs are above the target only in July, when prices are lower. */
export const SALES = {
  name: 'Sales',
  unit: 'USD',
  kind: 'revenue',
  currency: 'USD',
  aggregation: 'total',
  frequency: 'daily',
  scope: ORGANISATION,
  target: 2.5,
} as const;

const METRICS: SampleMetric[] = [
  ORDERS,
  {
    fields: { name: 'Active customers', unit: 'customer', aggregation: 'average', frequency: 'daily' },
    scope: ORGANISATION,
    values: { size: 16_500, growth: 0.018, seasonal: true, spread: 0.03 },
  },
  {
    fields: { name: 'API requests', unit: 'million requests', aggregation: 'total', frequency: 'monthly' },
    scope: ORGANISATION,
    values: { size: 410, growth: 0.03, seasonal: true, spread: 0.05 },
  },
  {
    fields: { name: 'Checkouts', unit: 'checkout', aggregation: 'total', frequency: 'daily' },
    // The account leaves out the cluster and the host inside it, so that no dollar counts twice.
    scope: spend(
      namespace('prod', 'checkout'),
      namespace('prod', 'search', 'statefulset/index'),
      host('db-1', 'postgres'),
      account(ACCOUNTS.platform),
      repository('checkout'),
    ),
    values: { size: 3_900, growth: 0.02, seasonal: true, weekend: 1.2, spread: 0.07 },
  },
  {
    fields: { name: 'Open stores', unit: 'store', aggregation: 'average', frequency: 'monthly' },
    label_key: 'region',
    scope: spend(namespace('edge', 'kiosk'), namespace('edge', 'stockroom'), namespace('prod', 'delivery')),
    values: { size: { north: 41, south: 27, islands: 9 }, growth: 0.006, spread: 0.03 },
  },
  {
    fields: { name: 'Payments', unit: 'payment', aggregation: 'total', frequency: 'daily' },
    // The service collects a tag from the day on which a metric first picks it.
    scope: spend({ source: 'cloud', cloud: 'aws', tag: { key: 'team', value: 'checkout' } }),
    values: { size: 3_500, growth: 0.02, spread: 0.07 },
  },
  GATEWAY_CALLS,
];

/** Divides the bill of a team. It gets its target later, and then has months above the target. */
const searches = (team_id: string): SampleMetric => ({
  fields: { name: 'Searches', unit: 'thousand searches', aggregation: 'total', frequency: 'monthly' },
  scope: { type: 'team', team_id },
  values: { size: 4_600, growth: 0.015, seasonal: true, spread: 0.06 },
});

/** Returns the metrics, with that of the search team if there is one. */
export const sampleMetrics = (searchTeam: string | undefined): SampleMetric[] =>
  searchTeam === undefined ? METRICS : [...METRICS, searches(searchTeam)];
