import Big from 'big.js';
import { dayOf, type Day } from '../../../domain/shared/calendar.ts';
import type { DecimalText } from '../../../domain/shared/decimals.ts';
import { choicesOf, type SpendPick } from '../../../domain/spend/spend-pick.ts';
import { cte, ctes } from '../../engine/sql/cte.ts';
import type { ComputedSession } from '../compute-spend.ts';
import { pickedCombinations } from '../scope-costs.ts';
import { newestCompleteMonth, optionsOf } from './option-costs.ts';
import { GIVEN_PICKS } from './given-picks.ts';
import { ownedPickConflicts } from './owned-picks.ts';
import { pickWarningsOf } from './pick-warnings.ts';
import { picksField, planChoices, type SpendUser } from './spend-choices.ts';

/** What picks would cost together (docs/http.md#find-what-can-be-picked). Amounts are null before a month with spend is over. */
export interface SpendPreview {
  month: Day | null;
  /** All picks together, each dollar once. */
  cost: DecimalText | null;
  picks: PreviewedPick[];
  /** The sum of the picks' own costs, less `cost`. */
  overlap: DecimalText | null;
  /** Why the picks could not be saved, as saving them would say. */
  conflicts: string[];
  notes: string[];
}

interface PreviewedPick {
  pick: SpendPick;
  name: string;
  /** Null if it is not known: not collected, and not among the dearest on a bill. */
  cost: DecimalText | null;
  /** What no other pick of the list has. */
  own: DecimalText | null;
  collected_from: string | null;
}

/** Returns what picks would cost, and what saving them for a user would do. Stores nothing. */
export async function previewSpend(
  session: ComputedSession,
  orgId: string,
  user: SpendUser,
  picks: readonly SpendPick[],
  now: Date,
): Promise<SpendPreview> {
  const needed = choicesOf(picks, picksField(user));
  const today = dayOf(now);
  const month = await newestCompleteMonth(session, orgId, today);
  const plan = await planChoices(session, orgId, user, needed, now);
  const rows = await session.query<PickRow>(PICK_COSTS, {
    org: orgId,
    picks: JSON.stringify(picks),
    today,
    month,
  });
  // A choice that begins today has no load yet, so that its id must not be that of the choice that it replaces.
  const choices = plan.choices.map(({ begins, ...choice }) =>
    begins === 'today' ? { ...choice, version_id: null } : choice,
  );
  const isPlanned = (pick: SpendPick): boolean =>
    choicesOf([pick], picksField(user)).every((one) =>
      choices.some(
        ({ kind, cloud, account }) => kind === one.kind && cloud === one.cloud && account === one.account,
      ),
    );
  const warnings = await session.query<{ warning: string }>(PICK_WARNINGS, {
    org: orgId,
    picks: JSON.stringify(picks.filter(isPlanned)),
    choices: JSON.stringify(choices),
  });
  const owned =
    user.type === 'metric'
      ? []
      : await ownedPickConflicts(session, orgId, { ...user, type: user.type }, picks);
  const cost = rows[0]?.together ?? null;
  return {
    month,
    cost,
    picks: rows.flatMap(({ position, name, cost: alone, own, collected_from }) => {
      const pick = picks[position - 1];
      return pick === undefined ? [] : [{ pick, name, cost: alone, own, collected_from }];
    }),
    overlap:
      cost === null
        ? null
        : rows
            .reduce((sum, row) => sum.plus(row.cost ?? 0), Big(0))
            .minus(cost)
            .toFixed(),
    conflicts: [...plan.conflicts, ...owned],
    notes: [...warnings.map(({ warning }) => warning), ...uncollectedNotes(rows)],
  };
}

interface PickRow {
  position: number;
  name: string;
  cost: DecimalText | null;
  own: DecimalText | null;
  collected_from: string | null;
  is_listed: boolean;
  together: DecimalText | null;
}

const uncollectedNotes = (rows: readonly PickRow[]): string[] =>
  rows.flatMap(({ name, cost, is_listed }) => {
    if (!is_listed) return [];
    if (cost === null) return [`the cost of ${name} is not known before it is collected`];
    return rows.length === 1
      ? [`the cost of ${name} is the bill's, because it is not collected in that month`]
      : [
          `the cost of ${name} is the bill's, because it is not collected in that month; its overlap with other picks is not known`,
        ];
  });

const PICKS = cte({
  name: 'picks',
  needs: [GIVEN_PICKS],
  sql: `SELECT CAST(position AS VARCHAR) AS scope_id, key FROM given_picks UNION ALL SELECT 'together', key FROM given_picks`,
});

const SPEND = cte({
  name: 'spend',
  sql: `SELECT row_number() OVER () AS row_id, month, keys, cost
  FROM month_spend JOIN current_computations USING (org_id, month, computation_id)
  WHERE org_id = $org AND month = $month::DATE`,
});

// A value that is not collected is inside its account if that is picked too. Then it adds nothing to the sum of all picks.
const PICK_COSTS = `
WITH ${ctes(GIVEN_PICKS, optionsOf(GIVEN_PICKS), ...pickedCombinations(SPEND, PICKS))},
priced AS (
  SELECT position, key, name, options.cost, collected_from, is_listed,
    count(*) OVER (PARTITION BY key) > 1 AS is_repeated,
    row_number() OVER (PARTITION BY key ORDER BY position) = 1 AS is_first,
    split_kind IS NOT NULL AND EXISTS (FROM given_picks AS whole
      WHERE whole.cloud = given_picks.cloud AND whole.account = given_picks.account AND whole.split_kind IS NULL) AS is_inside
  FROM given_picks JOIN options USING (key)),
own_parts AS (
  SELECT scope_id, sum(cost) AS own FROM (
    SELECT combination, any_value(scope_id) AS scope_id FROM matches WHERE scope_id <> 'together'
    GROUP BY combination HAVING count(*) = 1)
  JOIN combinations USING (combination) GROUP BY scope_id),
sums AS (
  SELECT COALESCE((SELECT sum(cost) FROM matches JOIN combinations USING (combination) WHERE scope_id = 'together'), 0)
    + COALESCE((SELECT sum(cost) FROM priced WHERE is_listed AND is_first AND NOT is_inside), 0) AS together)
SELECT CAST(position AS INTEGER) AS position, name, collected_from, is_listed, cost,
  CASE WHEN cost IS NULL THEN NULL WHEN NOT is_listed THEN COALESCE(own, 0) WHEN is_repeated OR is_inside THEN 0 ELSE cost END AS own,
  CASE WHEN $month::DATE IS NOT NULL THEN together END AS together
FROM priced LEFT JOIN own_parts ON scope_id = CAST(position AS VARCHAR) CROSS JOIN sums
ORDER BY position`;

const GIVEN_CHOICES = cte({
  name: 'given_choices',
  sql: `SELECT $org AS org_id, unnest(from_json($choices::JSON, '[{"kind":"VARCHAR","cloud":"VARCHAR","account":"VARCHAR",
    "choice":"VARCHAR","first_day":"DATE","version_id":"UUID"}]'), max_depth := 2)`,
});

const PICK_WARNINGS = pickWarningsOf('given_choices', GIVEN_CHOICES);
