import type { Day } from '../../../domain/shared/calendar.ts';
import type { Candidate } from './values/collected-values.ts';
import { localDayOfText, nullable } from '../feeds/cells.ts';
import { cloudOf } from './focus-columns.ts';
import { focusRollUpStatement, type RollUp } from './focus-roll-up.ts';
import { STORED } from '../feeds/read-feed.ts';
import type { Statements } from '../../engine/session.ts';

/**
 * Reads bills without EffectiveCost again, by BilledCost. Their first reading is in `focus_roll_up`. Creates `fallen_back` with
 * their providers and billing periods, as the export writes them, and `billed_roll_up` with the second reading.
 */
export async function readFallback(
  reader: Statements,
  load: RollUp,
  candidates: readonly Candidate[],
): Promise<void> {
  await reader.run(FALLEN_BACK, { falls_back: load.costColumn === 'EffectiveCost' });
  const [some] = await reader.query('FROM temp.main.fallen_back LIMIT 1');
  await reader.run(
    some === undefined
      ? 'CREATE TEMP TABLE billed_roll_up AS FROM focus_roll_up LIMIT 0'
      : focusRollUpStatement(
          'billed_roll_up',
          { ...load, costColumn: 'BilledCost' },
          candidates,
          'fallen back',
        ),
  );
}

/**
 * A cloud's bill of a billing period falls back as a whole. It must have no EffectiveCost other than zero in any row, and usage
 * with a BilledCost other than zero. Neither single rows nor bills whose usage cost nothing fall back, because a commitment
 * purchase is rightly 0 (docs/data-formats.md#focus-billing-exports).
 */
const FALLEN_BACK = `
CREATE TEMP TABLE fallen_back AS
WITH bills AS (
  SELECT provider, CAST(billing_period AS VARCHAR) AS billing_period, bool_or(cost_present) AS cost_present,
    bool_or(usage_billed) AS usage_billed
  FROM focus_roll_up
  WHERE $falls_back AND NOT is_of_values AND ${nullable('provider')} IS NOT NULL AND billing_period IS NOT NULL
  GROUP BY ALL)
SELECT provider, billing_period FROM bills
WINDOW same_bill AS (PARTITION BY ${cloudOf('provider')}, ${localDayOfText('billing_period')})
QUALIFY NOT COALESCE(bool_or(cost_present) OVER same_bill, false)
  AND bool_or(usage_billed) OVER same_bill`;

const MOST_NOTES = 100;

/** Returns a note for each bill that fell back, at most a hundred. */
export async function fallbackNotes(reader: Statements): Promise<string[]> {
  const bills = await reader.query<{ billing_period: Day; cloud: string }>(
    `SELECT DISTINCT billing_period, left(cloud, 80) AS cloud FROM checked_groups WHERE ${STORED} AND fell_back
     ORDER BY ALL LIMIT ${MOST_NOTES}`,
  );
  return bills.map(
    ({ billing_period, cloud }) =>
      `billing period ${billing_period}: EffectiveCost is missing or zero in every row of ${cloud}, BilledCost was used instead`,
  );
}
