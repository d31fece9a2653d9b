import type { BigQueryQuery, QueryParameter } from '../../../../domain/shared/bigquery-query.ts';
import { NOT_KEPT } from '../kept-resources.ts';
import type { BillTable, BillTags } from './bill-table.ts';
import { gkeKeys, gkeTotals } from './gke-labels.ts';
import { micros, named, nullable } from './google-sql.ts';
import { isOfPeriod, type TablePeriod } from './period-query.ts';

/** What the organisation's picks divide bills by (values/collected-values.ts). */
export interface CollectedKeys {
  tagKeys: readonly string[];
  /** Those that only Azure's bills are divided by, which writes them in any case. */
  inAnyCase: ReadonlySet<string>;
  services: boolean;
  resourceGroups: boolean;
  /** Whether lines that name their cluster and namespace are grouped by them (gke-labels.ts). */
  clusters: boolean;
}

/** A query, and the columns of its result in order. */
export interface GroupsQuery extends BigQueryQuery {
  columns: readonly string[];
}

/** The columns of a group, beside the table's own. */
export const GROUP = {
  start: 'start_us',
  end: 'end_us',
  effective: 'EffectiveCost',
  billed: 'BilledCost',
  periodStart: 'period_start_us',
  periodEnd: 'period_end_us',
  lines: 'line_count',
  /** Whether each line of the group has the group's cost, because it spans days and is spread by itself. */
  spans: 'spans_days',
  credits: 'credits',
  creditLines: 'credit_lines',
  tags: 'tags_text',
  service: 'ServiceName',
  resourceGroup: 'x_ResourceGroupName',
  commitment: 'CommitmentDiscountId',
} as const;

/** Returns the column with the values of a collected tag key. */
export const tagColumn = (place: number): string => `tag_${place}`;

const DAY_US = 86_400_000_000;

/** An expression of the lines, by the name of its column. */
type Columns = Record<string, string>;

const listed = (columns: Columns): string =>
  Object.entries(columns)
    .map(([name, sql]) => `    ${sql} AS ${named(name)}`)
    .join(',\n');

const amounts = ({ effectiveCost, billedCost }: BillTable): Columns => ({
  effective: effectiveCost?.amount ?? 'CAST(NULL AS BIGNUMERIC)',
  effective_raw: effectiveCost?.raw ?? 'CAST(NULL AS STRING)',
  billed: billedCost?.amount ?? 'CAST(NULL AS BIGNUMERIC)',
  billed_raw: billedCost?.raw ?? 'CAST(NULL AS STRING)',
});

/** The commitment of a line, and whether the line costs something. A purchase that costs nothing is no purchase. */
const commitmentKeys = ({ commitment, effectiveCost }: BillTable): Columns =>
  commitment === null
    ? {}
    : {
        [GROUP.commitment]: commitment,
        commitment_sign: `IF(${commitment} IS NULL, NULL, SIGN(${effectiveCost?.amount ?? '0'}))`,
      };

const periodKeys = ({ billingPeriod }: BillTable): Columns => ({
  ...(billingPeriod === null ? {} : { [GROUP.periodStart]: billingPeriod.start }),
  ...(billingPeriod?.end == null ? {} : { [GROUP.periodEnd]: billingPeriod.end }),
});

const collectedKeys = ({ tags, service, resourceGroup }: BillTable, collected: CollectedKeys): Columns => ({
  ...(collected.services && service !== null ? { [GROUP.service]: service } : {}),
  ...(collected.resourceGroups && resourceGroup !== null ? { [GROUP.resourceGroup]: resourceGroup } : {}),
  ...(tags === null || collected.tagKeys.length === 0 ? {} : tagKeys(tags, collected)),
  ...(collected.clusters && tags !== null && 'entries' in tags ? gkeKeys(tags.entries) : {}),
});

/** The first of equal keys counts, without blanks around it, as in a file. JSON is read after the grouping. */
const tagKeys = (
  tags: BillTags,
  { tagKeys: keys, inAnyCase }: Pick<CollectedKeys, 'tagKeys' | 'inAnyCase'>,
): Columns =>
  'text' in tags
    ? { [GROUP.tags]: tags.text }
    : Object.fromEntries(
        keys.map((key, place) => [
          tagColumn(place),
          `(SELECT tag.value FROM UNNEST(${tags.entries}) AS tag WITH OFFSET AS place
      WHERE ${inAnyCase.has(key) ? `LOWER(TRIM(tag.key, ' ')) = LOWER(@${tagColumn(place)})` : `TRIM(tag.key, ' ') = @${tagColumn(place)}`}
      ORDER BY place LIMIT 1)`,
        ]),
      );

const quotedNames = (columns: Columns): string[] => Object.keys(columns).map(named);

/**
 * Returns the query that groups the lines of a billing period by UTC day, account, resource, and what is collected
 * (docs/data-formats.md#tables-of-bigquery). A line inside a day is moved to the whole day. A longer one keeps its period, and
 * groups only with lines of the same cost, because each is spread by itself. Lines that cannot be read are groups of their own.
 */
export function rollUpQuery(table: BillTable, period: TablePeriod, collected: CollectedKeys): GroupsQuery {
  const keys: Columns = {
    ...table.keys,
    ...periodKeys(table),
    ...commitmentKeys(table),
    ...collectedKeys(table, collected),
  };
  const { resource, credits, accountName } = table;
  const ids: Columns =
    resource === null
      ? {}
      : {
          [resource.column]: `IF(REGEXP_CONTAINS(IFNULL(${resource.id}, ''), @not_kept), NULL, ${resource.id})`,
        };
  const names: Columns = { ...accountName, ...resource?.names };
  const grouped = [...quotedNames(ids), ...quotedNames(keys)];
  const isNamed = resource === null ? 'false' : `${named(resource.column)} IS NOT NULL`;
  const namesOfGroup = [
    ...quotedNames(accountName).map((name) => `MIN(${name})`),
    ...quotedNames({ ...resource?.names }).map((name) => `MIN(IF(${isNamed}, ${name}, NULL))`),
  ];
  const totals: Columns = {
    [GROUP.effective]: total('effective'),
    [GROUP.billed]: total('billed'),
    ...Object.fromEntries(Object.keys(names).map((name, place) => [name, namesOfGroup[place] ?? ''])),
    ...(credits === null
      ? {}
      : {
          [GROUP.credits]: 'CAST(SUM(credit_sum) AS STRING)',
          [GROUP.creditLines]: 'COUNTIF(credit_sum <> 0)',
        }),
    [GROUP.lines]: 'COUNT(*)',
  };
  const placed = [
    GROUP.start,
    GROUP.end,
    GROUP.spans,
    'span_effective',
    'span_billed',
    'lacks_effective',
    'lacks_billed',
  ];
  const query = `WITH lines AS (
  SELECT
${listed({
  charge_start: micros(table.chargeStart),
  charge_end: micros(table.chargeEnd),
  ...amounts(table),
  ...(credits === null ? {} : { credit_sum: credits }),
  ...ids,
  ...keys,
  ...names,
})}
  FROM ${named(table.name)} AS bill
  WHERE ${isOfPeriod(table, period)}),
days AS (
  SELECT *, DIV(charge_start, ${DAY_US}) * ${DAY_US} AS day_us FROM lines),
spans AS (
  SELECT *, NOT IFNULL(charge_end BETWEEN charge_start AND day_us + ${DAY_US}, FALSE) AS ${GROUP.spans} FROM days),
placed AS (
  SELECT *, IF(${GROUP.spans}, charge_start, day_us) AS ${GROUP.start}, IF(${GROUP.spans}, charge_end, day_us + ${DAY_US}) AS ${GROUP.end},
    IF(${GROUP.spans}, effective, NULL) AS span_effective, IF(${GROUP.spans}, billed, NULL) AS span_billed,
    effective IS NULL AS lacks_effective, billed IS NULL AS lacks_billed
  FROM spans)
SELECT ${[GROUP.start, GROUP.end, GROUP.spans, ...grouped].join(', ')},
${listed(totals)}
FROM placed
GROUP BY ${[...placed, ...grouped].join(', ')}`;
  return {
    query,
    parameters: [
      ...ofMonth(period),
      ...(resource === null ? [] : [{ name: 'not_kept', type: 'STRING', value: NOT_KEPT } as const]),
      ...tagParameters(table, collected),
    ],
    columns: [
      GROUP.start,
      GROUP.end,
      GROUP.spans,
      ...Object.keys(ids),
      ...Object.keys(keys),
      ...Object.keys(totals),
    ],
  };
}

/** The amount of a group as text: of its lines, of each line that spans days, or as it is written if it cannot be read. */
const total = (amount: 'effective' | 'billed'): string =>
  `COALESCE(CAST(IF(${GROUP.spans}, MIN(${amount}), SUM(${amount})) AS STRING), MIN(${amount}_raw))`;

const ofMonth = ({ month }: TablePeriod): QueryParameter[] =>
  month === null ? [] : [{ name: 'month', type: 'STRING', value: month }];

const tagParameters = ({ tags }: BillTable, { tagKeys: keys }: CollectedKeys): QueryParameter[] =>
  tags === null || 'text' in tags
    ? []
    : keys.map((key, place) => ({
        name: tagColumn(place),
        type: 'STRING',
        value: key.replaceAll(/^ +| +$/g, ''),
      }));

/** The dearest groups of values that are read. A list has far fewer (values/bill-values.ts). */
const MOST_GROUPS = 100_000;

/** Longer tags of a line are not listed, so that a few lines cannot fill the memory. */
const MOST_LISTED = 20_000;

/**
 * Returns the query for what the bill of a period could be divided by: services, resource groups and all tags, with their cost. It
 * is apart from the roll-up, because only the newest periods need it, and it stops at the dearest groups.
 */
export function valuesQuery(table: BillTable, period: TablePeriod): GroupsQuery {
  const { tags, service, resourceGroup } = table;
  const keys: Columns = {
    ...table.keys,
    ...periodKeys(table),
    ...commitmentKeys(table),
    ...(service === null ? {} : { [GROUP.service]: service }),
    ...(resourceGroup === null ? {} : { [GROUP.resourceGroup]: resourceGroup }),
    ...(tags === null ? {} : { [GROUP.tags]: listedTags(tags) }),
  };
  const totals: Columns = {
    [GROUP.effective]: 'CAST(SUM(effective) AS STRING)',
    [GROUP.billed]: 'CAST(SUM(billed) AS STRING)',
    [GROUP.lines]: 'COUNT(*)',
    ...gkeTotals('IFNULL(effective, billed)'),
  };
  const cluster = tags !== null && 'entries' in tags ? gkeKeys(tags.entries).cluster : 'CAST(NULL AS STRING)';
  const query = `WITH lines AS (
  SELECT
${listed({ ...amounts(table), ...keys, cluster })}
  FROM ${named(table.name)} AS bill
  WHERE ${isOfPeriod(table, period)} AND ${micros(table.chargeEnd)} >= ${micros(table.chargeStart)})
SELECT ${quotedNames(keys).join(', ')},
${listed(totals)}
FROM lines
GROUP BY ${quotedNames(keys).join(', ')}
ORDER BY ABS(SUM(IFNULL(effective, billed))) DESC LIMIT ${MOST_GROUPS}`;
  return { query, parameters: ofMonth(period), columns: [...Object.keys(keys), ...Object.keys(totals)] };
}

function listedTags(tags: BillTags): string {
  const text =
    'text' in tags
      ? tags.text
      : `TO_JSON_STRING(ARRAY(SELECT AS STRUCT tag.key AS key, tag.value AS value FROM UNNEST(${tags.entries}) AS tag))`;
  return `IF(LENGTH(${text}) <= ${MOST_LISTED}, ${nullable(text)}, NULL)`;
}
