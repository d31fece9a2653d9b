import { wobble } from './noise.ts';
import { PLATFORM } from './platform-account.ts';
import type { SampleMetric } from './sample-metrics.ts';
import { SEARCH_TEAM } from './sample-teams.ts';
import { monthly, monthlyByLabel } from './sample-values.ts';
import { growth, season } from './season.ts';

const CALLS: Record<string, number> = { checkout: 620, search: 410, partners: 170 };

/** By whom the shop's platform is called: a shared cost is split by it. */
export const GATEWAY_CALLS: SampleMetric = {
  name: 'Gateway calls',
  unit: 'million calls',
  aggregation: 'total',
  frequency: 'monthly',
  scope: { type: 'spend', spend: [{ source: 'cloud', cloud: 'aws', account: PLATFORM.account }] },
  target: null,
  labelKey: 'caller',
  values: monthlyByLabel(
    Object.keys(CALLS),
    (month, caller) => (CALLS[caller] ?? 0) * growth(month, 0.02) * wobble(`calls ${caller} ${month}`, 0.1),
  ),
};

/** Divides the bill of a team; its target comes later, so that going above it can be told. */
export const SEARCHES: SampleMetric = {
  name: 'Searches',
  unit: 'thousand searches',
  aggregation: 'total',
  frequency: 'monthly',
  scope: { type: 'team', team: SEARCH_TEAM.name },
  target: null,
  labelKey: null,
  values: monthly(
    (month) => 4_600 * growth(month, 0.015) * season(month) * wobble(`searches ${month}`, 0.06),
  ),
};
