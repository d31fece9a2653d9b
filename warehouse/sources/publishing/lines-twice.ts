import type { LoadSessions } from '../../engine/readers/load-sessions.ts';
import type { Statements } from '../../engine/session.ts';
import type { Parameters } from '../../engine/sql/parameters.ts';
import { dropTemporaryTables } from '../../engine/sql/temporary-tables.ts';
import { STORED } from '../feeds/read-feed.ts';
import type { Relation } from '../feeds/scan-files.ts';
import { addAlsoIn, addUnitsTwice, copyUnitsTwice, createUnitsTwice, unitsTwice } from './charged-twice.ts';
import { MONTH } from './publish-load.ts';

/**
 * What each group of a feed keeps to find lines that stand two or three times. Two equal hashes cancel out, and three equal
 * remainders of 3 do, so that no line needs a group.
 */
export const lineSums = (line = 'line'): string =>
  `bit_xor(${line}) AS line_bits, sum(CAST(${line} % 3 AS INTEGER)) AS line_thirds`;

/** The aggregate of whether each line of groups can stand two or three times. */
export const CAN_REPEAT =
  '(bool_and(line_bits = 0) FILTER (cost <> 0) OR bool_and(line_thirds % 3 = 0) FILTER (cost <> 0))';

/** A feed whose lines may stand two or three times. */
export interface RepeatedFeed {
  /**
   * Selects the days of its units from `checked_groups`: billing_period, unit, day, cost, and whether all lines can stand two or
   * three times (`can_repeat`).
   */
  days: string;
  /**
   * Selects its lines: unit, day, `line` (a hash of a whole line), and whether it `is_named`, so that it tells of what it is. Lines
   * without a hash are not compared.
   */
  lines: string;
  parameters?: Parameters;
  /** Its words for a line: `line of host`. */
  line: string;
  /** How many different lines of a unit and a day cannot have an equal one by chance, if all of them are named; null if none are. */
  fewestNamed: number | null;
  /** Whether all lines of a day, of all units, cannot have an equal one by chance. The seats of two people can. */
  tellsWholeDays: boolean;
}

/** Fewer different lines of a day can all have an equal one: two machines without a name, with their disks. */
const FEW_LINES = 3;

/** Few equal lines are normal, and a file has all lines twice or none. */
const areNearlyAll = (condition: string): string =>
  `(count_if(${condition}) >= 3 AND count_if(${condition}) * 5 >= count(*) * 4)`;

/**
 * Equal lines are normal where nothing names them: two machines cost the same each day. So the amounts of the unit must also
 * differ, or its lines must be told apart (`is_told`).
 */
const ARE_ENOUGH = `(${areNearlyAll('is_twice')}
  AND (count(DISTINCT cost) FILTER (is_twice) >= 3 OR ${areNearlyAll('is_twice AND is_told')}))`;

/**
 * Adds the units of which nearly each line stands exactly two or three times to `units_twice`. More equal lines are normal: a feed
 * may have one for each hour of a day. The groups tell only whether the lines can. If all of a unit can, the feed is read again.
 */
export async function findLinesTwice(reader: Statements, feed: RepeatedFeed): Promise<void> {
  const { days, lines, parameters = {}, line, fewestNamed, tellsWholeDays } = feed;
  const isWholeDay = `(${tellsWholeDays} AND bool_and(is_twice) OVER one_day AND sum(line_count) OVER one_day >= ${FEW_LINES})`;
  const units = (from: string): string =>
    unitsTwice(
      `(SELECT *, cost * (times - 1) / times AS counts_twice, (is_named AND line_count >= ${fewestNamed ?? 1}) OR ${isWholeDay} AS is_told
        FROM (${from}) WINDOW one_day AS (PARTITION BY billing_period, day))`,
      `'has each ${line} ' || to_json(min(unit)) || CASE WHEN max(times) FILTER (is_twice) = 3 THEN ' three times' ELSE ' twice' END`,
      ARE_ENOUGH,
    );
  const unitDays = `SELECT * FROM (${days}) WHERE cost <> 0`;
  const perhaps = units(
    `SELECT *, can_repeat IS TRUE AS is_twice, ${fewestNamed !== null} AS is_named, ${FEW_LINES} AS line_count, 2 AS times FROM (${unitDays})`,
  );
  const [some] = await reader.query(`${perhaps} LIMIT 1`);
  if (some === undefined) return;
  await dropTemporaryTables(reader, ['whole_lines']);
  await reader.run(
    `CREATE TEMP TABLE whole_lines AS
     SELECT unit, day, bool_and(is_named) AS is_named, count(*) AS line_count, max(times) AS times
     FROM (
       SELECT unit, day, bool_and(is_named) AS is_named, count(*) AS times
       FROM (${lines}) WHERE line IS NOT NULL AND unit IN (SELECT unit FROM (${perhaps})) GROUP BY unit, day, line)
     GROUP BY ALL HAVING min(times) = max(times) AND max(times) IN (2, 3)`,
    parameters,
  );
  await addUnitsTwice(
    reader,
    units(
      `SELECT unit_days.*, can_repeat IS TRUE AND whole_lines.unit IS NOT NULL AS is_twice,
         COALESCE(is_named, false) AS is_named, COALESCE(line_count, 0) AS line_count, COALESCE(times, 2) AS times
       FROM (${unitDays}) AS unit_days LEFT JOIN whole_lines USING (unit, day)`,
    ),
  );
}

/** A feed of a table, whose rows each belong to a unit and a day. */
export interface TableFeed extends Pick<RepeatedFeed, 'line' | 'fewestNamed'> {
  /** The SQL of a row's unit. */
  unit: string;
  /** Selects the rows that count: file, day, unit, cost, line, is_named. */
  rows: (relations: readonly Relation[]) => string;
}

/** Adds the units of a table whose lines stand twice to `units_twice`. `checked_groups` has its groups. */
export async function findTableTwice(
  reader: Statements,
  relations: readonly Relation[],
  { unit, rows, ...feed }: TableFeed,
  parameters: Parameters,
): Promise<void> {
  await findLinesTwice(reader, {
    ...feed,
    days: `SELECT ${MONTH} AS billing_period, ${unit} AS unit, day, sum(cost) AS cost, ${CAN_REPEAT} AS can_repeat
      FROM checked_groups WHERE ${STORED} GROUP BY ALL`,
    lines: rows(relations),
    tellsWholeDays: false,
    parameters,
  });
  await addAlsoIn(reader, relations, {
    rows: (some) => `SELECT ${MONTH} AS billing_period, * FROM (${rows(some)})`,
    line: feed.line,
    parameters,
  });
}

/** Stages the units of a source's only table in which lines stand twice, as `units_twice` of the warehouse. */
export async function stageTableTwice(
  sessions: LoadSessions,
  relations: readonly Relation[],
  feed: TableFeed,
  parameters: Parameters,
): Promise<void> {
  await createUnitsTwice(sessions.reader);
  await findTableTwice(sessions.reader, relations, feed, parameters);
  await copyUnitsTwice(sessions);
}
