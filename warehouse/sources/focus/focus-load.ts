import { dayOf, firstDay, monthOf, type Day } from '../../../domain/shared/calendar.ts';
import { invalid } from '../../../domain/shared/errors.ts';
import type { Found } from '../../../domain/sources/readings/reading-plan.ts';
import { checkShrink } from '../publishing/bill-shrink.ts';
import {
  findAmortisedCommitments,
  IS_AMORTISED_PURCHASE,
  LOAD_COMMITMENTS,
  purchaseNotes,
} from './commitment-purchases.ts';
import { creditNotes } from './focus-credits.ts';
import { dayOfText, localDayOfText, nullable, withoutMark } from '../feeds/cells.ts';
import { refuseOtherSet } from '../bills/azure-sets.ts';
import { billRelations, type BillFile } from '../bills/bill-relations.ts';
import { BILL_VALUES, LISTED_KEYS } from './values/bill-values.ts';
import { candidatesToCollect, fieldOf, type Candidate } from './values/collected-values.ts';
import { assigned, calledIn, cloudOf, idOf, type Called, type CostColumn } from './focus-columns.ts';
import {
  ACCOUNT_DAYS,
  ACCOUNT_NAMES,
  BILL_DAYS,
  billingPeriods,
  CLOUD_SPEND,
  dailyMoney,
  LOAD_DAYS,
} from './focus-daily-money.ts';
import { fallbackNotes, readFallback } from './focus-fallback.ts';
import { foundPeriods } from './found-periods.ts';
import { fileDays } from './file-days.ts';
import { findFilesTwice } from './files-twice.ts';
import { listApart, rollUpExport, type RollUp } from './focus-roll-up.ts';
import { repeatedLines } from './lines-twice.ts';
import { leftOutNotes, stageLeftOut, storeLeftOut } from './left-out-bills.ts';
import { LAST_DAY } from './month-parts.ts';
import { copyToWarehouse, viewInWarehouse, type LoadSessions } from '../../engine/readers/load-sessions.ts';
import { normalTextSql } from '../../engine/sql/normal-text.ts';
import { problem, whenTooLong } from '../feeds/problems.ts';
import {
  expectedTime,
  isTooLong,
  isTooLongText,
  LONGEST_PERIOD,
  readableDay,
} from '../feeds/readable-limits.ts';
import { storeUnitDays } from '../publishing/unit-days.ts';
import { storeRows, type Load, type StagedLoad } from '../publishing/load.ts';
import { addAlsoIn, createUnitsTwice, copyUnitsTwice, storeUnitsTwice } from '../publishing/charged-twice.ts';
import { findLinesTwice } from '../publishing/lines-twice.ts';
import { checkMoney } from '../publishing/publish-load.ts';
import { dropTemporaryTables } from '../../engine/sql/temporary-tables.ts';
import { readFeed, rowsStored, STORED } from '../feeds/read-feed.ts';
import { stageRejected, type RejectedWhen } from '../feeds/rejected-when.ts';
import { isWanted, readingBounds } from '../feeds/wanted-months.ts';
import type { Statements } from '../../engine/session.ts';

/** A FOCUS export, and how its money is read. */
export interface FocusExport {
  files: readonly BillFile[];
  costColumn: CostColumn;
  /** The organisation's currency. Any other currency in the export fails the load. */
  currency: string;
  /** What is collected, if the export depends on it; see {@link candidatesToCollect}. */
  candidates?: readonly Candidate[];
  /** If only a part of the export is read; by default all is. */
  part?: ExportPart;
}

/** A part of an export whose other billing periods keep their loads. */
export interface ExportPart {
  /** The rows of the others. */
  others: { stored: number; rejected: number };
  /** Is told what the part has, before anything is stored. Throws if the others must be read, too. */
  check: (found: Pick<Found, 'periods' | 'isWhole'>) => void;
}

const ALL: ExportPart = { others: { stored: 0, rejected: 0 }, check: () => undefined };

/**
 * Stages a FOCUS export: one pass over the files, then one load per billing period. Billing periods outside the months of the load
 * are left alone. Throws `invalid` for another currency, for too many unreadable rows, and if a settled month would lose days.
 */
export async function stageFocus(
  sessions: LoadSessions,
  load: Load,
  { files, costColumn, currency, candidates: known, part = ALL }: FocusExport,
): Promise<StagedLoad & { found: Found }> {
  const { reader, session } = sessions;
  await dropTemporaryTables(reader, OF_EARLIER_READING);
  const candidates = known ?? (await candidatesToCollect(sessions, load.orgId, load.now));
  const called = calledIn(billRelations(files));
  let rollUp: RollUp = { files, costColumn, now: load.now, listed: [], hasNames: false };
  let found: Found = { periodsOf: new Map(), periods: [], isWhole: false };
  const counts = await readFeed(reader, load, {
    relations: billRelations(files),
    prepare: async () => {
      rollUp = await rollUpExport(reader, rollUp, candidates);
      if (files[0]?.bill?.costSet !== undefined) await refuseOtherSet(reader, files, costColumn);
      await readFallback(reader, rollUp, candidates);
      await findAmortisedCommitments(reader, billRelations(files, 'skipped'));
    },
    groups: checkedGroups(candidates, called),
    check: async () => {
      await refuseOtherCurrencies(reader, currency, called);
      found = await foundPeriods(reader, files);
      // Without its names, a resource is found on no machine. One broken line takes them from all files.
      if (!rollUp.hasNames) found = { ...found, isWhole: true };
      part.check(found);
    },
    rejectedWhen: REJECTED_WHEN,
    others: part.others,
  });
  // Lines that are not CSV can belong to any period.
  if (counts.rowsRejected > 0 && (await hasUndated(reader))) {
    found = { ...found, isWhole: true };
    part.check(found);
  }
  await stageRejected(sessions);
  await viewInWarehouse(sessions, 'daily_money', await dailyMoney(reader, candidates));
  await listValues(sessions, load, rollUp, candidates);
  const notes = [
    ...(await fallbackNotes(reader)),
    ...(await purchaseNotes(reader)),
    ...(await creditNotes(reader)),
    ...(await leftOutNotes(reader, session, load)),
  ];
  await stageLeftOut(sessions, load, currency);
  await copyToWarehouse(sessions, 'commitments', LOAD_COMMITMENTS);
  await createUnitsTwice(reader);
  await findLinesTwice(reader, repeatedLines(billRelations(files, 'skipped')));
  await findFilesTwice(reader, files, rollUp, part.others.stored + part.others.rejected);
  await addAlsoIn(reader, billRelations(files, 'skipped'), {
    rows: (some) => fileDays(some, rollUp),
    line: 'line of account',
  });
  await copyUnitsTwice(sessions);
  // The reader has done its work. The warehouse needs the memory.
  await dropTemporaryTables(reader, READ);
  await checkMoney(session, 'daily_money', 'billing_period');
  await session.run(LOAD_DAYS);
  const shrunk = await checkShrink(session, { ...load, currency });
  await storeRows(session, load, 'cloud_spend', CLOUD_SPEND);
  await storeRows(session, load, 'bill_days', BILL_DAYS);
  await storeUnitDays(session, load, ACCOUNT_DAYS);
  await storeRows(session, load, 'account_names', ACCOUNT_NAMES);
  await storeRows(session, load, 'bill_values', 'FROM listed_values');
  await storeLeftOut(session, load);
  await storeRows(session, load, 'load_commitments', 'FROM commitments');
  await storeUnitsTwice(session, load);
  return {
    load,
    counts,
    rowsStored: rowsStored(counts),
    periods: billingPeriods(costColumn),
    readFrom: files.map(({ path }) => path),
    notes: [...notes, ...shrunk],
    found,
  };
}

/** Whether rows were rejected that say nothing of their billing period. */
async function hasUndated(reader: Statements): Promise<boolean> {
  const [undated] = await reader.query('FROM temp.main.rejected_rows WHERE billing_period IS NULL LIMIT 1');
  return undated !== undefined;
}

/** Lists what the bills could be divided by, in the view `listed_values` of the warehouse's session (bill-values.ts). */
async function listValues(
  sessions: LoadSessions,
  load: Load,
  rollUp: RollUp,
  candidates: readonly Candidate[],
): Promise<void> {
  const { reader } = sessions;
  const since = await newestCompleteMonth(reader, load.now);
  await listApart(reader, rollUp, since);
  await reader.run(
    `CREATE TEMP TABLE value_groups AS SELECT billing_period, cloud, account, ${LISTED_KEYS.join(', ')}, cost
     FROM (${checkedGroups(candidates, calledIn([]), 'values')}) WHERE ${STORED} AND ($since IS NULL OR billing_period >= $since::DATE)`,
    { ...readingBounds(load), since },
  );
  await viewInWarehouse(sessions, 'listed_values', [BILL_VALUES]);
}

/**
 * Returns the first day of the newest month that is over and has spend in this load. Lists of earlier billing periods are never
 * read (option-costs.ts), because the organisation's newest complete month is not earlier.
 */
async function newestCompleteMonth(reader: Statements, now: Date): Promise<Day | null> {
  const [newest] = await reader.query<{ month: Day | null }>(
    `SELECT CAST(date_trunc('month', max(LEAST(${LAST_DAY}, $this_month::DATE - 1))) AS DATE) AS month
     FROM checked_groups WHERE ${STORED} AND day < $this_month::DATE`,
    { this_month: firstDay(monthOf(dayOf(now))) },
  );
  return newest?.month ?? null;
}

/** A charge that spans days belongs to all of them, unless its period is the problem. */
const REJECTED_WHEN: RejectedWhen = {
  billingPeriod: 'billing_period',
  from: 'day',
  through: `CASE WHEN span_start IS NULL OR ${isTooLong('span_start', 'span_end')} THEN day
    ELSE CAST(span_end - INTERVAL 1 MICROSECOND AS DATE) END`,
  cost: 'cost',
  byDay: false,
};

/** The tables of a reading that began again with more files. */
const OF_EARLIER_READING = [
  'focus_roll_up',
  'fallen_back',
  'billed_roll_up',
  'amortised_commitments',
  'rejected_rows',
];

/** The large temporary tables of the reader. */
const READ = [
  'focus_roll_up',
  'billed_roll_up',
  'checked_groups',
  'value_groups',
  'table_groups',
  'table_values',
  'units_twice',
  'whole_lines',
];

/** A purchase whose commitment is amortised counts 0. Its cost stays for the note. */
const costs = (of: 'spend' | 'values'): string =>
  (of === 'spend' ? ['cost', 'span_cost'] : ['cost'])
    .map(
      (cost) => `CASE WHEN is_amortised_purchase AND ${cost} IS NOT NULL THEN 0 ELSE ${cost} END AS ${cost},`,
    )
    .join(' ');

/** Returns the text keys of the groups beside those of bills, each with its name in messages. */
const keyNames = (
  candidates: readonly Candidate[],
  called: Called,
): (readonly [key: string, name: string])[] => [
  ['resource_id', called('resource')],
  ['purchased_commitment', called('commitment')],
  ...candidates.map((candidate) => [candidate.column, called(fieldOf(candidate))] as const),
];

/** What all groups of an account's bill have in common, as the export writes it. */
const BILL = ['provider', 'billing_period', 'billing_period_end', 'currency', 'account', 'account_name'];

/**
 * Selects all groups of one kind (focus-roll-up.ts). Bills that fell back have their BilledCost. `counts` is true in the wanted
 * billing periods. Bills are far fewer than groups, so that what they have in common is cast and checked once for each.
 */
const checkedGroups = (
  candidates: readonly Candidate[],
  called: Called,
  of: 'spend' | 'values' = 'spend',
): string => `
WITH all_groups AS NOT MATERIALIZED (
  SELECT *, false AS fell_back FROM focus_roll_up AS read_first
  ANTI JOIN temp.main.fallen_back AS bill
    ON bill.provider = read_first.provider AND bill.billing_period = CAST(read_first.billing_period AS VARCHAR)
  UNION ALL
  SELECT *, true AS fell_back FROM billed_roll_up),
groups_of_kind AS NOT MATERIALIZED (
  SELECT * EXCLUDE (is_of_values${of === 'spend' ? ', service, resource_group, tags' : ''}) FROM all_groups
  WHERE ${of === 'spend' ? 'NOT ' : ''}is_of_values),
written_bills AS (SELECT DISTINCT ${BILL.join(', ')} FROM groups_of_kind),
clouds AS (
  SELECT provider, ${cloudOf('provider')} AS cloud FROM (SELECT DISTINCT provider FROM written_bills)
  WHERE ${nullable('provider')} IS NOT NULL),
bills AS (
  SELECT cloud, ${BILL.map((key) => `${key} AS written_${key}`).join(', ')},
    ${readableDay(localDayOfText('billing_period'), '$last_day::DATE')} AS billing_period,
    ${readableDay(localDayOfText('billing_period_end'), '$last_day::DATE')} AS billing_period_end,
    ${nullable(normalTextSql('currency'))} AS currency,
    ${idOf('account')} AS account, ${idOf('account_name')} AS account_name,
    COALESCE(${localDayOfText('billing_period')} > ${dayOfText('billing_period')}, false) AS is_ahead,
    CAST(billing_period AS VARCHAR) AS raw_billing_period, CAST(billing_period_end AS VARCHAR) AS raw_billing_period_end
  FROM written_bills LEFT JOIN clouds USING (provider)),
checked_bills AS (
  SELECT * EXCLUDE (billing_period_end, raw_billing_period, raw_billing_period_end), ${isWanted('billing_period')} AS counts,
    CASE
      WHEN billing_period IS NULL
        THEN ${problem(called('billing_period'), expectedTime('a UTC time', 'raw_billing_period'), 'raw_billing_period')}
      WHEN billing_period_end IS NULL AND ${nullable('trim(raw_billing_period_end)')} IS NOT NULL
        THEN ${problem(called('billing_period_end'), expectedTime('a UTC time', 'raw_billing_period_end'), 'raw_billing_period_end')}
      WHEN ${isTooLong('billing_period', 'billing_period_end')}
        THEN ${problem(called('billing_period_end'), `'a billing period of ${LONGEST_PERIOD}'`, 'raw_billing_period_end')}
      WHEN currency IS NULL THEN ${problem(called('currency'), "'a currency'", 'currency')}
      WHEN cloud IS NULL THEN ${problem(called('provider'), "'a provider'", 'cloud')}
      WHEN account IS NULL THEN ${problem(called('account'), "'an account'", 'account')}
      ${whenTooLong(called('currency'), 'currency')}
      ${whenTooLong(called('provider'), 'written_provider')}
      ${whenTooLong(called('account'), 'account')}
    END AS bill_problem
  FROM bills),
wanted AS (
  SELECT groups_of_kind.* EXCLUDE (${BILL.filter((key) => key !== 'provider').join(', ')}) REPLACE (
    COALESCE(NULLIF(${normalTextSql('resource_id')}, ''), ${withoutMark('resource_id')}) AS resource_id,
    ${shortText('resource_name')} AS resource_name, ${shortText('zone')} AS zone${candidates
      .map(({ column }) => `, ${normalTextSql(column)} AS ${column}`)
      .join('')}),
    checked_bills.* EXCLUDE (${BILL.map((key) => `written_${key}`).join(', ')})
  FROM groups_of_kind JOIN checked_bills
    ON ${BILL.map((key) => `groups_of_kind.${key} IS NOT DISTINCT FROM written_${key}`).join(' AND ')}),
counted AS (
  SELECT * REPLACE (lower(${assigned(nullable('resource_id'), 'cloud')}) AS resource_id), ${IS_AMORTISED_PURCHASE} AS is_amortised_purchase
  FROM wanted)
SELECT * EXCLUDE (bill_problem, is_amortised_purchase) REPLACE (
    ${costs(of)}
    CASE
      WHEN NOT counts THEN NULL
      WHEN COALESCE(problem, bill_problem) IS NOT NULL THEN COALESCE(problem, bill_problem)
      ${keyNames(candidates, called)
        .map(([key, name]) => whenTooLong(name, key))
        .join('\n      ')}
    END AS problem),
  CASE WHEN is_amortised_purchase THEN cost END AS purchase_cost
FROM counted`;

/** Returns a name or a zone, null if it is too long or a spelling of null. Neither rejects a row. */
const shortText = (text: string): string =>
  nullable(`CASE WHEN NOT (${isTooLongText(text)}) THEN ${text} END`);

/** The most that a message names. */
const MOST_CURRENCIES = 20;

async function refuseOtherCurrencies(reader: Statements, currency: string, called: Called): Promise<void> {
  const others = await reader.query<{ currency: string; row_count: string }>(
    `SELECT left(currency, 80) AS currency, sum(row_count) AS row_count FROM checked_groups
     WHERE ${STORED} AND upper(checked_groups.currency) <> $currency GROUP BY ALL ORDER BY ALL LIMIT ${MOST_CURRENCIES}`,
    { currency },
  );
  if (others.length === 0) return;
  const found = others.map((other) => `${other.currency} in ${other.row_count} rows`).join(', ');
  throw invalid(
    `${called('currency')}: expected ${currency}, the organisation's currency, got ${found}; money is never converted, nothing was loaded`,
  );
}
