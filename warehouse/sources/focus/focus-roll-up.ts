import { addDays, type Day } from '../../../domain/shared/calendar.ts';
import { billRelations, type BillFile } from '../bills/bill-relations.ts';
import {
  canList,
  identifyingTags,
  LISTED_COLUMNS,
  LISTED_KEYS,
  type ListedKey,
} from './values/bill-values.ts';
import type { Candidate } from './values/collected-values.ts';
import { nullable, quoted, writtenOut } from '../feeds/cells.ts';
import {
  accountOf,
  billingPeriodOf,
  calledIn,
  calledOf,
  isNonzero,
  isSince,
  keyOf,
  moneyOf,
  rawOf,
  textOf,
  timeOf,
  type CostColumn,
} from './focus-columns.ts';
import { creditAggregates, creditsOf } from './focus-credits.ts';
import { isKept } from './kept-resources.ts';
import { problem, problemOf, whenTooLong } from '../feeds/problems.ts';
import {
  expectedAmount,
  expectedTime,
  isTooLong,
  lastReadableDay,
  LONGEST_PERIOD,
  readableAmount,
  readableText,
  readableTime,
} from '../feeds/readable-limits.ts';
import { fileNumbers, fileSets } from './file-sets.ts';
import { fileAggregates } from './files-twice.ts';
import { LINE_SUMS, NO_LINES } from './lines-twice.ts';
import { sumOfKnown } from '../feeds/rejected-rows.ts';
import type { Relation } from '../feeds/scan-files.ts';
import { sqlText } from '../../engine/sql/sql-text.ts';
import { dropTemporaryTables } from '../../engine/sql/temporary-tables.ts';
import type { Statements } from '../../engine/session.ts';

/** What both kinds of groups have. */
const BILL_KEYS = [
  'problem',
  'currency',
  'billing_period',
  'billing_period_end',
  'provider',
  'account',
  'purchased_commitment',
];

export interface RollUp {
  files: readonly BillFile[];
  costColumn: CostColumn;
  now: Date;
  /** What bills can be divided by that is rolled up too. */
  listed: readonly ListedKey[];
  /** Whether the names and zones of resources are read too. */
  hasNames: boolean;
}

/** Groups of days and resources, or of what bills could be divided by (bill-values.ts). */
type Grain = 'spend' | 'values';

/** Selects one typed row per line of the export. A value that cannot be cast is null, and its raw value is beside it. */
const typedRows = (
  file: Relation,
  { costColumn, listed, hasNames }: RollUp,
  candidates: readonly Candidate[],
  since: Day | null,
  fileNumber: string,
): string => `
  SELECT ${quoted(file.fileColumn)} AS file, ${fileNumber} AS file_number,
    ${timeOf(file, 'period_start')} AS period_start, ${rawOf(file, 'period_start')} AS raw_period_start,
    ${timeOf(file, 'period_end')} AS period_end, ${rawOf(file, 'period_end')} AS raw_period_end,
    ${moneyOf(file, costColumn)} AS cost, ${rawOf(file, costColumn)} AS raw_cost, ${calledOf(file, costColumn)} AS cost_called,
    ${costColumn === 'EffectiveCost' ? isNonzero(file, 'BilledCost') : 'false'} AS billed_nonzero,
    ${billingPeriodOf(file, 'billing_period')} AS billing_period, ${billingPeriodOf(file, 'billing_period_end')} AS billing_period_end,
    ${keyOf(file, 'currency')} AS currency,
    lower(${textOf(file, 'charge_category')}) AS charge_category,
    ${costColumn === 'EffectiveCost' ? textOf(file, 'commitment') : 'CAST(NULL AS VARCHAR)'} AS commitment,
    ${creditsOf(file)} AS credits,${file.costSet === undefined ? '' : ` ${quoted(file.costSet)} AS cost_set,`}${file.values === undefined ? '' : ' group_rows, group_credit_rows,'}
    ${keyOf(file, 'provider')} AS provider, ${accountOf(file)} AS account,
    ${keyOf(file, 'account_name')} AS account_name,
    CASE WHEN ${isKept(keyOf(file, 'resource'))} THEN ${keyOf(file, 'resource')} END AS resource_id,
    ${textOf(file, 'category')} AS category,
    ${hasNames ? textOf(file, 'resource_name') : 'CAST(NULL AS VARCHAR)'} AS resource_name,
    ${hasNames ? textOf(file, 'zone') : 'CAST(NULL AS VARCHAR)'} AS zone,
    ${LISTED_KEYS.map((key) => `${listed.includes(key) ? LISTED_COLUMNS[key](file) : 'CAST(NULL AS VARCHAR)'} AS ${key}`).join(', ')}${candidates
      .map(
        ({ column, valueIn }) => `,
    ${valueIn(file)} AS ${column}`,
      )
      .join('')}
  FROM ${file.from}${since === null ? '' : ` WHERE ${isSince(file, 'billing_period', addDays(since, -1))}`}`;

/** A row's texts, beside the candidates. Their length is checked in the groups, except for the account's name. */
const TEXTS = [
  'currency',
  'provider',
  'account',
  'account_name',
  'resource_id',
  'service',
  'resource_group',
] as const;

/** Returns the candidates as group keys. They are null in rows before their first day, so that these form no more groups. */
const collectedKeys = (candidates: readonly Candidate[]): string =>
  candidates.length === 0
    ? ''
    : `REPLACE (${candidates
        .map(
          ({ column, firstDay }) =>
            `CASE WHEN period_end >= DATE ${sqlText(firstDay)} THEN ${column} END AS ${column}`,
        )
        .join(', ')})`;

/**
 * Returns the statement that reads an export in one pass into the temporary table `table`. One `GROUP BY` over all files rolls
 * rows up to day, billing period, account and resource. So memory depends on the number of groups. Each candidate is a group key
 * too. Rows beyond one UTC day keep their span, for the spread. Unreadable rows keep their problem. For the fallback of a whole
 * bill (focus-fallback.ts), each group records whether it has usage, a nonzero EffectiveCost, and usage with a nonzero
 * BilledCost. Purchases of commitments with a cost are groups of their own (commitment-purchases.ts).
 *
 * This pass also groups the rows of CSV files by what bills can be divided by. These groups have `is_of_values`, and no day.
 * A second pass would have to decompress and parse the files again.
 *
 * @param bills if `fallen back`, the statement reads only rows of bills that have fallen back.
 */
export function focusRollUpStatement(
  table: string,
  rollUp: RollUp,
  candidates: readonly Candidate[],
  bills: Bills = 'all',
): string {
  const grains: Grain[] =
    rollUp.listed.length === 0 || isListedApart(rollUp) ? ['spend'] : ['spend', 'values'];
  return `CREATE TEMP TABLE ${table} AS ${rolledUp(rollUp, candidates, bills, grains)}`;
}

/**
 * Reads what the bills of Parquet files can be divided by. Such a file gives single columns, so that a scan of its own is much
 * cheaper than a second grouping of all rows.
 *
 * @param since the scan leaves out billing periods that begin before this day, but not those that do so in local time.
 */
export async function listApart(reader: Statements, rollUp: RollUp, since: Day | null): Promise<void> {
  if (rollUp.listed.length === 0 || !isListedApart(rollUp)) return;
  const insert = (table: string, load: RollUp, bills: Bills) =>
    reader.run(`INSERT INTO ${table} BY NAME ${rolledUp(load, [], bills, ['values'], since)}`);
  await insert('focus_roll_up', rollUp, 'all');
  const [fallen] = await reader.query('FROM temp.main.fallen_back LIMIT 1');
  if (fallen !== undefined)
    await insert('billed_roll_up', { ...rollUp, costColumn: 'BilledCost' }, 'fallen back');
}

const isListedApart = ({ files }: RollUp): boolean => files.every(({ format }) => format === 'parquet');

type Bills = 'all' | 'fallen back';

/** Returns what the list of values is made from. */
const listedFrom = (relations: readonly Relation[]): Relation[] =>
  relations.map((relation) => relation.values ?? relation);

/** Returns what groups of days and resources have beside their cost. Rows of some relations stand for several lines each. */
function ofSpend(files: readonly BillFile[], relations: readonly Relation[]): string {
  const areGrouped = relations.some(({ values }) => values !== undefined);
  const lastFile = files.length === 1 ? 'any_value(file)' : 'max(file)';
  return `, any_value(account_name) AS account_name,
  min(CASE WHEN resource_id IS NOT NULL THEN resource_name END) AS resource_name,
  min(CASE WHEN resource_id IS NOT NULL AND resource_name IS NOT NULL THEN zone END) AS zone,
  CASE WHEN problem IS NOT NULL THEN ${lastFile} END AS file, ${lastFile} AS last_file,
  ${areGrouped ? 'CAST(sum(group_rows) AS BIGINT)' : 'count(*)'} AS row_count,
  bool_or(CASE WHEN cost IS NULL THEN ${nullable(writtenOut('raw_cost'))} IS NOT NULL ELSE cost <> 0 END) AS cost_present,
  bool_or(billed_nonzero AND is_usage) AS usage_billed, bool_or(is_usage) AS is_usage,
  bool_or(is_purchase) AS is_purchase,
  min(CASE WHEN cost > 0 THEN covering END) AS first_covering, max(CASE WHEN cost > 0 THEN covering END) AS last_covering,
  ${creditAggregates(relations, areGrouped)},
  ${fileAggregates(files)}${areGrouped ? NO_LINES : LINE_SUMS}, ${fileSets(files.length)}`;
}

/** Selects the groups of these grains. Groups of values have only the keys of bills, and what bills can be divided by. */
function rolledUp(
  rollUp: RollUp,
  candidates: readonly Candidate[],
  bills: Bills,
  grains: readonly Grain[],
  since: Day | null = null,
): string {
  const { files, now } = rollUp;
  const lastDay = lastReadableDay(now);
  const read = billRelations(files, bills === 'all' ? 'counted' : 'skipped');
  const relations = grains.includes('spend') ? read : listedFrom(read);
  const called = calledIn(relations);
  const costSet = relations.some((file) => file.costSet !== undefined)
    ? ', bit_or(cost_set) AS cost_set'
    : '';
  const numbers = fileNumbers(relations);
  const scans = relations.map((file, at) =>
    typedRows(file, rollUp, candidates, since, numbers[at] ?? 'NULL'),
  );
  const rowKeys = [
    'resource_id',
    ...candidates.map(({ column }) => column),
    'day',
    'span_start',
    'span_end',
    'span_cost',
  ];
  const keysOf: Record<Grain, readonly string[]> = { spend: rowKeys, values: LISTED_KEYS };
  const isOfValues = grains.length === 2 ? 'GROUPING(day) = 1' : String(grains.includes('values'));
  const keys = grains.flatMap((grain) => keysOf[grain]);
  const noKeys = LISTED_KEYS.filter((key) => !keys.includes(key)).map(
    (key) => `CAST(NULL AS VARCHAR) AS ${key}`,
  );
  return `
WITH typed_rows AS (${scans.join('\n  UNION ALL')}),
readable_rows AS (
  SELECT * REPLACE (${readableTime('period_start', lastDay)} AS period_start, ${readableTime('period_end', lastDay)} AS period_end,
    ${readableAmount('cost')} AS cost,
    ${[...TEXTS, ...candidates.map(({ column }) => column)].map((text) => `${readableText(text)} AS ${text}`).join(',\n    ')}),
    COALESCE(charge_category = 'usage', true) AS is_usage, COALESCE(charge_category = 'purchase', false) AS is_purchase,
    CASE WHEN charge_category = 'purchase' AND cost <> 0 THEN ${readableText('commitment')} END AS purchased_commitment,
    CASE WHEN charge_category = 'usage' THEN commitment END AS covering
  FROM typed_rows),
spanning_rows AS (
  SELECT *, period_end > CAST(CAST(period_start AS DATE) + 1 AS TIMESTAMP) AS spans_days FROM readable_rows),
checked_rows AS (
  SELECT *, CASE
      WHEN period_start IS NULL THEN ${problem(called('period_start'), expectedTime('a UTC time', 'raw_period_start'), 'raw_period_start')}
      WHEN period_end IS NULL THEN ${problem(called('period_end'), expectedTime('a UTC time', 'raw_period_end'), 'raw_period_end')}
      WHEN period_end < period_start THEN ${problem(called('period_end'), sqlText(`a time not before ${called('period_start')}`), 'raw_period_end')}
      WHEN spans_days AND ${isTooLong('period_start', 'period_end')}
        THEN ${problem(called('period_end'), `'a charge period of ${LONGEST_PERIOD}'`, 'raw_period_end')}
      WHEN cost IS NULL THEN ${problemOf('cost_called', expectedAmount('raw_cost'), 'raw_cost')}
      ${whenTooLong(called('account_name'), 'account_name')}
    END AS problem
  FROM spanning_rows AS typed_rows${
    bills === 'all'
      ? ''
      : ' SEMI JOIN temp.main.fallen_back AS bill ON bill.provider = typed_rows.provider AND bill.billing_period = CAST(typed_rows.billing_period AS VARCHAR)'
  })
SELECT ${isOfValues} AS is_of_values, ${[...BILL_KEYS, ...keys, ...noKeys].join(', ')},
  ${sumOfKnown('cost')} AS cost${grains.includes('spend') ? `${ofSpend(files, relations)}${costSet}` : ''}
FROM (
  SELECT * ${collectedKeys(candidates)},
    CAST(period_start AS DATE) AS day,
    CASE WHEN spans_days THEN period_start END AS span_start,
    CASE WHEN spans_days THEN period_end END AS span_end,
    CASE WHEN spans_days THEN cost END AS span_cost
  FROM checked_rows)
GROUP BY GROUPING SETS (${grains.map((grain) => `(${[...BILL_KEYS, ...keysOf[grain]].join(', ')})`).join(', ')})`;
}

/**
 * Reads an export into `focus_roll_up`, without its tags if almost each row has different ones. A line is broken if a column that
 * is read is not UTF-8. If there are any, it reads the export again without the list and the names. So the tags, services and
 * names of a line do not reject its cost. Returns how it was read.
 */
export async function rollUpExport(
  reader: Statements,
  load: Omit<RollUp, 'listed' | 'hasNames'>,
  candidates: readonly Candidate[],
): Promise<RollUp> {
  const relations = billRelations(load.files, 'skipped');
  const keys = LISTED_KEYS.filter((key) => listedFrom(relations).some((file) => canList(file, key)));
  const identifies = keys.includes('tags') && (await identifyingTags(reader, relations));
  const listed = { ...load, listed: keys.filter((key) => key !== 'tags' || !identifies), hasNames: true };
  await reader.run(focusRollUpStatement('focus_roll_up', listed, candidates));
  const [tables] = await reader.query(
    `FROM duckdb_tables() WHERE temporary AND table_name = 'broken_lines' LIMIT 1`,
  );
  if (tables === undefined) return listed;
  const [broken] = await reader.query(
    `FROM temp.main.broken_lines WHERE error_type = 'INVALID ENCODING' LIMIT 1`,
  );
  if (broken === undefined) return listed;
  await dropTemporaryTables(reader, ['focus_roll_up', 'broken_lines', 'broken_line_scans']);
  const unlisted = { ...load, listed: [], hasNames: false };
  await reader.run(focusRollUpStatement('focus_roll_up', unlisted, candidates));
  return unlisted;
}
