import { keepEarlierDays, keepLateMonths } from './publishing/carry-over.ts';
import { dayOf, type Day } from '../../domain/shared/calendar.ts';
import { dayRanges } from '../../domain/shared/day-ranges.ts';
import { toWire, type DecimalText } from '../../domain/shared/decimals.ts';
import type { ExportFile } from './feeds/export-files.ts';
import type { LoadSessions } from '../engine/readers/load-sessions.ts';
import { problem } from './feeds/problems.ts';
import { throughWeekend } from './publishing/through-weekend.ts';
import { storeDayRows, storeRows, type Load, type LoadScope, type StagedLoad } from './publishing/load.ts';
import { storeUnitsTwice } from './publishing/charged-twice.ts';
import { lineSums, stageTableTwice, type TableFeed } from './publishing/lines-twice.ts';
import { MONTH, MONTHS } from './publishing/publish-load.ts';
import { storeUnitDays, type UnitRows } from './publishing/unit-days.ts';
import { addCounts, readFeed, rowsStored, stageFeed, withoutUnusedMonths } from './feeds/read-feed.ts';
import { LAST_FILE, REJECTED_FILE, sumOfKnown } from './feeds/rejected-rows.ts';
import { NO_COST, rejectedByDay, stageRejected } from './feeds/rejected-when.ts';
import { readingBounds } from './feeds/wanted-months.ts';
import { checkUnits, unitsOf } from './publishing/unit-shrink.ts';
import { normalRepositorySql } from './repository-sql.ts';
import { relationsOf, type Relation } from './feeds/scan-files.ts';
import type { Session } from '../engine/session.ts';
import { mergePoints, NEWS_OF_POINTS, sumPoints } from './usage/stage-points.ts';
import { openVendorRows, VENDOR_USAGE } from './usage/vendor-rows.ts';
import { checkedRows, missingTabularColumns, type TabularColumns } from './feeds/tabular-rows.ts';

const SPEND_COLUMNS: TabularColumns = {
  day: { names: ['day'], holds: 'day', required: 'value' },
  tool: { names: ['tool'], holds: 'text', required: 'value' },
  cost: { names: ['cost'], holds: 'decimal', required: 'value' },
  kind: { names: ['kind'], holds: 'text', required: 'no' },
};

const USAGE_COLUMNS: TabularColumns = {
  day: { names: ['day'], holds: 'day', required: 'value' },
  tool: { names: ['tool'], holds: 'text', required: 'value' },
  repository: { names: ['repository'], holds: 'text', required: 'column' },
  usage: { names: ['usage'], holds: 'decimal', required: 'value' },
};

export const missingAiSpendColumns = (file: ExportFile): string[] =>
  missingTabularColumns(file, SPEND_COLUMNS);

export const missingAiUsageColumns = (file: ExportFile): string[] =>
  missingTabularColumns(file, USAGE_COLUMNS);

/** The second feed's name in messages. */
const USAGE_FEED = 'options.usage_location';

/** The files of an AI tools source (docs/data-formats.md#ai-coding-tools). */
export interface AiToolFiles {
  spend: readonly ExportFile[];
  /** Null if usage only comes from programs. */
  usage: readonly ExportFile[] | null;
}

/** Stages the spend and usage in files; see {@link stageAiToolFeeds}. */
export async function stageAiTools(
  sessions: LoadSessions,
  load: Load,
  { spend, usage }: AiToolFiles,
): Promise<StagedLoad> {
  if (usage === null) await openVendorRows(sessions.reader);
  const staged = await stageAiToolFeeds(sessions, load, {
    spend: relationsOf(spend),
    usage: usage === null ? [VENDOR_USAGE] : relationsOf(usage),
    usageFrom: 'files',
  });
  // Only files of spend are recorded. Usage costs nothing, so that the same usage in two sources counts nothing twice.
  return { ...staged, readFrom: spend.map(({ path }) => path) };
}

/** The two feeds of an AI tools source. */
interface AiToolFeeds {
  spend: readonly Relation[];
  usage: readonly Relation[];
  /** Who counts the usage. Usage that programs send replaces a vendor's, which has no repositories, but not that of files. */
  usageFrom: 'files' | 'vendor';
}

/**
 * Stages the spend on AI tools and their usage by repository (docs/data-formats.md#ai-coding-tools), one load of both for each
 * month with spend. Usage without spend is left out, because usage only divides spend. Usage of a month that was loaded before
 * joins that month's spend, and so does what programs have sent since. Days that a feed lacks stay unchanged. Throws `invalid` if either feed has too many unreadable rows,
 * and if a settled month would lose a tool.
 */
export async function stageAiToolFeeds(
  sessions: LoadSessions,
  load: Load,
  relations: AiToolFeeds,
): Promise<StagedLoad> {
  const { reader, session } = sessions;
  const usage = await readFeed(reader, load, {
    groups: usageGroups(relations),
    name: USAGE_FEED,
    relations: relations.usage,
    rejectedWhen: rejectedByDay(NO_COST),
  });
  await stageFeed(sessions, 'usage_days');
  const spend = await readFeed(reader, load, {
    groups: spendGroups(relations.spend),
    relations: relations.spend,
    rejectedWhen: rejectedByDay('cost'),
  });
  await stageFeed(sessions, 'load_days');
  await stageTableTwice(sessions, relations.spend, TOOL_LINES, readingBounds(load));
  await stageRejected(sessions);
  const feeds = {
    spend: { staged: 'load_days', stored: 'ai_tool_spend' },
    late: { staged: 'usage_days', stored: 'ai_usage', name: USAGE_FEED },
  } as const;
  const kept = [
    ...(await keepEarlierDays(session, load, feeds.spend)),
    ...(await keepEarlierDays(session, load, feeds.late)),
  ];
  await sumPoints(session, load);
  await keepLateMonths(session, load, feeds, NEWS_OF_POINTS);
  await mergePoints(session);
  const shrunk = await checkUnits(session, load, unitsOf('tool', 'ai_tool_spend'));
  await storeDayRows(session, load, 'ai_tool_spend', SPEND);
  await storeUnitDays(session, load, TOOL_DAYS);
  await storeRows(session, load, 'ai_usage', USAGE);
  await storeUnitsTwice(session, load, { load_days: TOOL_LINES });
  return {
    load,
    counts: addCounts(spend, await withoutUnusedMonths(session, usage, 'usage_days')),
    rowsStored: rowsStored(spend),
    periods: PERIODS,
    notes: [...kept, ...shrunk, ...(await unsharedTools(session)), ...(await unusedSeats(session, load))],
  };
}

/** Shares are exact as long as the product of two usages fits 128 bits (distributed-spend.ts). */
const LARGEST_USAGE = 1e12;

const spendRows = (relations: readonly Relation[]): string =>
  checkedRows(relations, SPEND_COLUMNS, [
    `WHEN lower(kind) NOT IN ('usage', 'seat') THEN ${problem('kind', "'usage or seat'", 'raw_kind')}`,
  ]);

/** Two seats of a tool have equal lines, and all tools of two people do. */
const TOOL_LINES: TableFeed = {
  unit: 'tool',
  line: 'line of tool',
  rows: (relations) => `
WITH ${spendRows(relations)}
SELECT file, day, tool AS unit, cost, line, false AS is_named FROM checked_rows WHERE problem IS NULL AND is_wanted`,
  fewestNamed: null,
};

const spendGroups = (relations: readonly Relation[]): string => `
WITH ${spendRows(relations)}
SELECT problem, is_wanted AS counts, ${REJECTED_FILE}, ${LAST_FILE}, day, tool, lower(kind) AS kind,
  ${sumOfKnown('cost')} AS cost, count(*) AS row_count, ${lineSums()}
FROM checked_rows GROUP BY ALL`;

/** Selects usage by the repository's normal name. The share of usage without a repository belongs to no repository. */
const usageGroups = ({ usage, usageFrom }: AiToolFeeds): string => `
WITH ${checkedRows(usage, USAGE_COLUMNS, [
  `WHEN usage NOT BETWEEN 0 AND ${LARGEST_USAGE} THEN ${problem('usage', "'a number from 0 to 1e12'", 'raw_usage')}`,
])},
usage_groups AS (
  SELECT problem, is_wanted AS counts, file, day, tool, repository AS spelling, sum(usage) AS usage, count(*) AS row_count
  FROM checked_rows GROUP BY ALL)
SELECT problem, counts, ${REJECTED_FILE}, ${LAST_FILE}, day, tool,
  ${normalRepositorySql('spelling')} AS repository, CAST(sum(usage) AS DECIMAL(38,6)) AS usage,
  CAST(sum(row_count) AS BIGINT) AS row_count, ${usageFrom === 'vendor' ? "'vendor'" : 'CAST(NULL AS VARCHAR)'} AS origin
FROM usage_groups GROUP BY ALL`;

const SPEND = `SELECT ${MONTH} AS billing_period, day, tool, kind, cost, is_whole FROM load_days`;

const TOOL_DAYS: UnitRows = {
  kind: 'tool',
  unit: 'tool',
  billingPeriod: MONTH,
  from: 'load_days',
  counts: 'is_whole',
};

/** Seats are often charged on the first day of a month, whatever weekday it is. */
const PERIODS = {
  ...MONTHS,
  broughtThrough: throughWeekend({
    brought: MONTHS.broughtThrough,
    billingPeriod: MONTH,
    counts: `kind IS DISTINCT FROM 'seat'`,
  }),
};

const USAGE = `
SELECT ${MONTH} AS billing_period, day, tool, repository, usage, origin FROM usage_days
WHERE date_trunc('month', day) IN (SELECT date_trunc('month', day) FROM load_days)`;

const MOST_NOTES = 20;

/**
 * Returns notes on tools with spend and no usage in a month. Most often the two feeds name such a tool differently. Usage that a
 * vendor counts has no repositories, and so is none here.
 */
async function unsharedTools(session: Session): Promise<string[]> {
  const tools = await session.query<{ tool: string; months: string }>(
    `WITH tool_months AS (SELECT DISTINCT tool, date_trunc('month', day) AS month FROM load_days WHERE cost <> 0),
     used_months AS (
       SELECT DISTINCT tool, date_trunc('month', day) AS month FROM usage_days
       WHERE usage > 0 AND origin IS DISTINCT FROM 'vendor')
     SELECT tool, string_agg(strftime(month, '%Y-%m'), ', ' ORDER BY month) AS months
     FROM tool_months ANTI JOIN used_months USING (tool, month)
     GROUP BY tool ORDER BY tool LIMIT ${MOST_NOTES}`,
  );
  return tools.map(
    ({ tool, months }) =>
      `tool ${JSON.stringify(tool)} has spend but no usage in ${months}: that spend belongs to no repository`,
  );
}

/**
 * Returns notes on seats of days without usage, such as a month's seats on its first day. Repositories share spend day by day, so
 * that they get nothing of it. Months without any usage of the tool have their own note (`unsharedTools`).
 *
 * Seats of each day are no news on a weekend without usage: the Friday before or the Monday after has seats, too. Usage of days
 * that are not over can still come.
 */
async function unusedSeats(session: Session, { orgId, now }: LoadScope): Promise<string[]> {
  const tools = await session.query<{ tool: string; days: Day[]; cost: DecimalText; currency: string }>(
    UNUSED_SEATS,
    { org: orgId, today: dayOf(now) },
  );
  return tools.map(
    ({ tool, days, cost, currency }) =>
      `tool ${JSON.stringify(tool)} has no usage on ${dayRanges(days)}: the ${toWire(cost)} ${currency} of its seats on these days ` +
      'belong to no repository; spread seats over the days of their use',
  );
}

const UNUSED_SEATS = `
WITH seats AS (SELECT tool, day, sum(cost) AS cost FROM load_days WHERE kind = 'seat' GROUP BY ALL HAVING sum(cost) <> 0),
used AS (SELECT DISTINCT tool, day FROM usage_days WHERE usage > 0),
used_months AS (SELECT DISTINCT tool, date_trunc('month', day) AS month FROM used),
ordinary_weekends AS (
  SELECT tool, day FROM seats WHERE isodow(day) >= 6 AND EXISTS (
    FROM seats AS beside WHERE beside.tool = seats.tool
      AND beside.day IN (seats.day - CAST(isodow(seats.day) - 5 AS INTEGER), seats.day + CAST(8 - isodow(seats.day) AS INTEGER)))),
unused AS (
  SELECT * FROM seats ANTI JOIN used USING (tool, day) ANTI JOIN ordinary_weekends USING (tool, day)
  WHERE day < $today::DATE AND (tool, date_trunc('month', day)) IN (FROM used_months))
SELECT tool, list(CAST(day AS VARCHAR)) AS days, sum(cost) AS cost,
  (SELECT currency FROM organisations WHERE org_id = $org) AS currency
FROM unused GROUP BY tool ORDER BY tool LIMIT ${MOST_NOTES}`;
