import { z } from 'zod';
import { sharedCostRecord } from '../../api/teams/shared-costs.ts';
import { Refused, type ApiClient } from './api-client.ts';
import { defineMetric, metricsOf, type RecordedMetric } from './record-values.ts';
import { sampleSharedCosts } from './sample-shared-costs.ts';
import { GATEWAY_CALLS } from './sample-team-metrics.ts';
import { SEARCH_TEAM, SHOP_TEAM } from './sample-teams.ts';

const known = z.object({ id: z.string(), name: z.string() });

/** A team as the organisation has it. */
export type Team = z.infer<typeof known>;

/** A shared cost as the organisation has it. */
export type SharedCost = z.infer<typeof sharedCostRecord>;

/** The organisation's teams with what they share. */
export interface TeamSetUp {
  /** Every team, also those that the user made. */
  teams: Team[];
  sharedCosts: SharedCost[];
  /** The metric that a shared cost is split by. */
  gatewayCalls: RecordedMetric;
}

/**
 * Makes sure that the organisation has the sample teams, the metric that a shared cost is split by, and the shared
 * costs. In a new organisation that is before the first ingest: no month has settled yet, so that none is sealed
 * while the shared costs are incomplete.
 */
export const setUpTeams = async (admin: ApiClient): Promise<TeamSetUp> => {
  const gatewayCalls = await defineMetric(admin, await metricsOf(admin), GATEWAY_CALLS);
  const teams = await addMissing(admin, '/api/v1/teams', known, [SHOP_TEAM, SEARCH_TEAM]);
  const [shop, search] = [SHOP_TEAM, SEARCH_TEAM].map(({ name }) => idOf(teams, name));
  const wanted =
    shop === undefined || search === undefined
      ? []
      : sampleSharedCosts({ shop, search, gatewayCalls: gatewayCalls.id });
  const sharedCosts = await addMissing(admin, '/api/v1/shared-costs', sharedCostRecord, wanted);
  return { teams, gatewayCalls, sharedCosts };
};

/** The id of what has a name, if anything has. */
const idOf = (all: readonly Team[], name: string): string | undefined =>
  all.find((each) => each.name === name)?.id;

const addMissing = async <Data extends z.ZodType<Team>>(
  admin: ApiClient,
  path: string,
  data: Data,
  wanted: readonly { name: string }[],
): Promise<z.infer<Data>[]> => {
  const all = await admin.get(`${path}?limit=1000`, z.array(data));
  for (const one of wanted) {
    if (idOf(all, one.name) !== undefined) continue;
    try {
      all.push(await admin.post(path, data, one));
    } catch (error) {
      // What it would own or cover is another's by now: the user has arranged it otherwise, and that stays.
      if (!(error instanceof Refused && error.status === 409)) throw error;
    }
  }
  return all;
};
