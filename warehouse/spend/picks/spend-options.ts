import type { Day } from '../../../domain/shared/calendar.ts';
import type { DecimalText } from '../../../domain/shared/decimals.ts';
import type { SpendPick } from '../../../domain/spend/spend-pick.ts';
import { ctes } from '../../engine/sql/cte.ts';
import { isPickable } from '../../sources/focus/values/bill-values.ts';
import type { ComputedSession } from '../compute-spend.ts';
import { newestCompleteMonth, optionsOf } from './option-costs.ts';
import { PARTS_OF_FORM, pickOfKey, SOURCE_OF_FORM } from './pick-key.ts';

/** Something that can be picked (docs/http.md#find-what-can-be-picked). */
export interface SpendOption {
  key: string;
  pick: SpendPick;
  name: string;
  /** The first day of the month of the cost; null before a month with spend is over. */
  month: Day | null;
  /** Null without a month, and if it is not collected and not in the bill's list. */
  cost: DecimalText | null;
  /** `always`, or the day from which it is collected; null if it is not collected yet. */
  collected_from: string | null;
}

/** The last option of a page. Later pages keep its month. */
export interface OptionPosition {
  month: Day | null;
  cost: DecimalText | null;
  key: string;
}

/** Returns what can be picked after `cursor`, dearest first, with each option's own cost in the newest complete month. */
export async function spendOptions(
  session: ComputedSession,
  orgId: string,
  {
    source = null,
    q = null,
    limit,
    cursor,
  }: {
    source?: SpendPick['source'] | null | undefined;
    q?: string | null | undefined;
    limit: number;
    cursor: OptionPosition | null;
  },
  today: Day,
): Promise<SpendOption[]> {
  const month = cursor === null ? await newestCompleteMonth(session, orgId, today) : cursor.month;
  const rows = await session.query<Omit<SpendOption, 'pick' | 'month'>>(SPEND_OPTIONS, {
    org: orgId,
    today,
    month,
    source,
    q,
    limit,
    after_key: cursor?.key ?? null,
    after_cost: cursor?.cost ?? null,
  });
  return rows.map((row) => ({ ...row, month, pick: pickOfKey(row.key) }));
}

const SPEND_OPTIONS = `
WITH ${ctes(optionsOf(null))},
words AS (
  SELECT *, COALESCE(cost, 0) AS sort_cost, lower(concat_ws(chr(31), name,
    CASE form WHEN 'split' THEN concat_ws(chr(31), parts[2], parts[3], parts[5])
      ELSE array_to_string(parts[2:], chr(31)) END)) AS words
  FROM options
  WHERE len(parts) = ${PARTS_OF_FORM} AND list_bool_and(list_transform(parts, lambda part: ${isPickable('part')})))
SELECT key, name, cost, collected_from FROM words
WHERE ($source::VARCHAR IS NULL OR ${SOURCE_OF_FORM} = $source)
  AND ($q::VARCHAR IS NULL OR contains(words, lower($q)))
  AND ($after_key::VARCHAR IS NULL OR sort_cost < COALESCE($after_cost::DECIMAL(38,15), 0)
    OR (sort_cost = COALESCE($after_cost::DECIMAL(38,15), 0) AND key > $after_key))
ORDER BY sort_cost DESC, key LIMIT $limit`;
