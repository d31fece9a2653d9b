import type { Day } from '../../../domain/shared/calendar.ts';
import type { Frequency, MetricKind } from '../../../domain/metrics/metric.ts';
import { pushTo } from '../../../domain/shared/push-to.ts';
import { sideBySide } from '../../../domain/shared/side-by-side.ts';
import type { SpendSource } from '../../../domain/sources/spend-sources.ts';
import type { Queries } from '../../engine/session.ts';
import type { Derived, OrganisationCache } from '../../engine/cache/derived-cache.ts';
import { ofMetric } from '../../engine/cache/revisions.ts';
import { PICKED_SPEND } from '../../spend/known-days.ts';
import { COLLECTED_SINCE, USES_CHOICE } from '../../spend/picks/spend-choices.ts';

/** What a metric divides. */
export interface MetricScope {
  metric_id: string;
  kind: MetricKind;
  frequency: Frequency;
  team_id: string | null;
  /** Identifies the scope's text. Metrics with the same scope share its costs. */
  scope_id: string;
  /** The spend that it picks from, in order; null unless it picks. */
  picked: readonly PickedSpend[] | null;
}

/** A part of the total that a metric picks from. */
export interface PickedSpend {
  spend: SpendSource;
  /** The day from which any of its picks of that part has spend; null if a pick always has. */
  collected_from: Day | null;
  /** The tag keys and splits that its picks use, in words, with the first day of their data. */
  choices: { words: string; from: Day }[];
}

/** Returns what a scope picks from, as one text ({@link knownDays}). */
export const spendOf = ({ picked }: Pick<MetricScope, 'picked'>): string =>
  picked?.map(({ spend }) => spend).join() ?? '';

const SCOPE: Derived<MetricScope | null> = {
  name: 'scope of a metric',
  from: ['spend_choice_versions'],
  bytesOf: (scope) => JSON.stringify(scope).length,
};

/** Returns the scopes of those metrics that exist, by metric id. */
export async function metricScopes(
  session: Queries,
  cache: OrganisationCache,
  orgId: string,
  metricIds: readonly string[],
): Promise<Map<string, MetricScope>> {
  const parts = new Map(metricIds.map((id) => [id, ofMetric(id, ['metric_versions'])]));
  const scopes = await cache.each(SCOPE, parts, async (missing) => {
    const read = await readScopes(session, orgId, missing);
    return new Map(missing.map((id) => [id, read.get(id) ?? null]));
  });
  return new Map([...scopes].flatMap(([id, scope]) => (scope === null ? [] : [[id, scope]])));
}

interface PickRow {
  metric_id: string;
  spend: SpendSource;
  collected_from: Day | null;
  choices: string | null;
}

async function readScopes(
  session: Queries,
  orgId: string,
  metrics: readonly string[],
): Promise<Map<string, MetricScope>> {
  const parameters = { org: orgId, metrics };
  const [scopes, picks] = await sideBySide([
    session.query<Omit<MetricScope, 'picked'>>(SCOPES, parameters),
    session.query<PickRow>(PICKS, parameters),
  ]);
  const picked = new Map<string, PickedSpend[]>();
  for (const { metric_id, spend, collected_from, choices } of picks)
    pushTo(picked, metric_id, {
      spend,
      collected_from,
      choices: choices === null ? [] : (JSON.parse(choices) as PickedSpend['choices']),
    });
  return new Map(
    scopes.map((scope) => [scope.metric_id, { ...scope, picked: picked.get(scope.metric_id) ?? null }]),
  );
}

const SCOPES = `
SELECT metric_id, kind, frequency, scope->>'$.team_id' AS team_id, md5(scope) AS scope_id
FROM metrics WHERE org_id = $org AND list_contains($metrics, metric_id) ORDER BY metric_id`;

// A part always has spend if one of its picks needs no tag key or split.
const PICKS = `
SELECT user_id AS metric_id, ${PICKED_SPEND} AS spend,
  CASE WHEN bool_and(choices.first_day IS NOT NULL) THEN min(choices.first_day) END AS collected_from,
  CAST(to_json(list(DISTINCT {'words': ${COLLECTED_SINCE}, 'from': choices.first_day})
    FILTER (choices.first_day IS NOT NULL)) AS VARCHAR) AS choices
FROM spend_picks AS picks LEFT JOIN spend_choices AS choices ON ${USES_CHOICE}
WHERE picks.org_id = $org AND user_type = 'metric' AND list_contains($metrics, user_id)
GROUP BY ALL ORDER BY metric_id, spend`;
