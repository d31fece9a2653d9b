import { waysOut, type DoubtCode, type SourceDoubt } from '../../domain/sources/doubts.ts';
import type { Day } from '../../domain/shared/calendar.ts';
import type { DecimalText } from '../../domain/shared/decimals.ts';
import { pushTo } from '../../domain/shared/push-to.ts';
import type { Queries } from '../engine/session.ts';
import { cte, ctes, type Cte } from '../engine/sql/cte.ts';
import { amountInWords } from './publishing/charged-twice.ts';
import { CURRENT_READINGS, newestBefore, READINGS_AS_OF } from './publishing/readings.ts';
import { IS_SAME_COMMITMENT } from './publishing/same-commitment.ts';
import { SPENDS_OF_SOURCE } from './spend-of-kind.ts';

interface DoubtRow {
  month: Day;
  source_id: string;
  name: string;
  code: DoubtCode;
  unit: string | null;
  other_source_id: string | null;
  other_name: string | null;
  phrase: string;
  amount: DecimalText | null;
}

/**
 * Returns the doubts that current loads and computations have stored about the months from `first` to `last`, by the month's
 * first day and the source's id. A person who says that charges are right beside others ends the doubt about them.
 *
 * @param asOf only what was published, computed or decided before this day counts; null counts all.
 */
export async function storedDoubts(
  session: Queries,
  range: { org: string; first: Day; last: Day },
  asOf: Day | null,
): Promise<Map<string, SourceDoubt[]>> {
  const rows = await (asOf === null
    ? session.query<DoubtRow>(DOUBTS, range)
    : session.query<DoubtRow>(DOUBTS_AS_OF, { ...range, as_of: asOf }));
  const doubts = new Map<string, SourceDoubt[]>();
  for (const { month, source_id, name, code, unit, phrase, amount, ...row } of rows)
    pushTo(doubts, `${month} ${source_id}`, {
      code,
      sentence: `cost source ${JSON.stringify(name)} ${phrase}`,
      amount,
      ways_out: waysOut(code, { source: { id: source_id, name }, unit, other: otherOf(row) }),
      from: null,
    });
  return doubts;
}

const otherOf = ({
  other_source_id: id,
  other_name: name,
}: Pick<DoubtRow, 'other_source_id' | 'other_name'>) => (id === null || name === null ? null : { id, name });

/** What doubts are made of: readings, computations, and what people have decided about units. */
interface Basis {
  found: string;
  computations: string;
  decisions: string;
}

const CURRENT: Basis = {
  found: CURRENT_READINGS,
  computations: 'current_computations',
  decisions: 'decided_units',
};

const AS_OF: Basis = {
  found: READINGS_AS_OF,
  computations: newestBefore('month_computations', 'month', 'computation_id', 'computed_at'),
  decisions: newestBefore('unit_decisions', 'source_id, unit', 'decision_id', 'decided_at'),
};

/** Returns the doubts that some readings and computations have stored, less those that a person has decided. */
const foundDoubts = ({ found, computations, decisions }: Basis, months: string): Cte =>
  cte({
    name: 'found_doubts',
    sql: `WITH counted_readings AS (FROM ${found}),
stored_doubts AS (
  SELECT source_id, month, code, unit, phrase, amount, CAST(NULL AS VARCHAR) AS other_source_id
  FROM load_doubts SEMI JOIN counted_readings USING (org_id, source_id, load_id, billing_period)
  WHERE org_id = $org AND ${months}
  UNION ALL
  SELECT source_id, month, 'charges_left_out', NULL,
    'has ' || row_count || CASE row_count WHEN 1 THEN ' row' ELSE ' rows' END || ' of ' || strftime(month, '%Y-%m') || ' on its bill of '
      || strftime(left_out_period, '%Y-%m') || ', which no run has loaded: ' || ${amountInWords('amount')} || ' does not count',
    amount, NULL
  FROM left_out_bills SEMI JOIN counted_readings USING (org_id, source_id, load_id, billing_period)
  ANTI JOIN counted_readings AS loaded ON loaded.source_id = left_out_bills.source_id AND loaded.billing_period = left_out_period
  WHERE org_id = $org AND ${months}
  UNION ALL
  SELECT source_id, month, 'charges_twice', unit,
    'has purchases by ' || to_json(unit) || ' of commitments such as ' || to_json(left(min(commitment), 200))
      || ', whose usage cost source ' || to_json(name) || ' has at amortised cost: ' || ${amountInWords('sum(amount)')} || ' counts twice',
    sum(amount), NULL
  FROM (
    SELECT purchased.*, min(name) AS name
    FROM (
      SELECT source_id, month, cloud, cloud || '/' || account AS unit, commitment, sum(purchased) AS amount
      FROM load_commitments SEMI JOIN counted_readings USING (org_id, source_id, load_id, billing_period)
      WHERE org_id = $org AND purchased IS NOT NULL AND ${months} GROUP BY ALL) AS purchased
    JOIN (
      SELECT DISTINCT source_id, name, cloud, commitment
      FROM load_commitments SEMI JOIN counted_readings USING (org_id, source_id, load_id, billing_period)
      JOIN (SELECT source_id, name FROM cost_sources WHERE org_id = $org) USING (source_id)
      WHERE org_id = $org AND purchased IS NULL) AS covering
      ON covering.cloud = purchased.cloud AND covering.source_id <> purchased.source_id AND ${IS_SAME_COMMITMENT}
    GROUP BY ALL)
  GROUP BY source_id, month, unit, name HAVING sum(amount) > 0
  UNION ALL
  SELECT source_id, month, code, unit, phrase, amount, other_source_id
  FROM month_doubts SEMI JOIN ${computations} AS counted USING (org_id, month, computation_id)
  WHERE org_id = $org AND ${months}),
standing AS (
  SELECT source_id, unit, unnest(['charges_twice', 'charges_left_out']) AS code FROM ${decisions} AS decided WHERE org_id = $org AND stands)
FROM stored_doubts ANTI JOIN standing USING (source_id, unit, code)
ANTI JOIN standing AS beside
  ON beside.source_id = stored_doubts.other_source_id AND beside.unit = stored_doubts.unit AND beside.code = stored_doubts.code`,
  });

/** The months that have a doubt about a source, by the part of the total that its spend is. */
export const DOUBTED_MONTHS = cte({
  name: 'doubted_months',
  needs: [foundDoubts(CURRENT, 'true')],
  sql: `SELECT DISTINCT unnest(${SPENDS_OF_SOURCE}) AS spend, month
  FROM found_doubts JOIN (SELECT source_id, kind, options FROM cost_sources WHERE org_id = $org) USING (source_id)`,
});

const doubtsBy = (basis: Basis): string => `
WITH ${ctes(foundDoubts(basis, 'month BETWEEN $first::DATE AND $last::DATE'))}
SELECT month, source_id, name, code, unit, other_source_id, other_name, phrase, sum(amount) AS amount
FROM found_doubts JOIN (SELECT source_id, name FROM cost_sources WHERE org_id = $org) USING (source_id)
LEFT JOIN (SELECT source_id AS other_source_id, name AS other_name FROM cost_sources WHERE org_id = $org) USING (other_source_id)
GROUP BY ALL ORDER BY month, source_id, code, unit, phrase`;

const DOUBTS = doubtsBy(CURRENT);
const DOUBTS_AS_OF = doubtsBy(AS_OF);
