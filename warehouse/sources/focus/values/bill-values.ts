import { SPLITS } from './collected-values.ts';
import { present } from '../focus-columns.ts';
import type { Relation, Shape } from '../../feeds/scan-files.ts';
import { normalTextSql } from '../../../engine/sql/normal-text.ts';
import { tagKeySql } from '../../../engine/sql/tag-key.ts';
import type { Statements } from '../../../engine/session.ts';
import { tagsTextOf } from './focus-tags.ts';

// Services, resource groups and tag values are collected only once they are picked
// (docs/concepts.md#tags-services-and-resource-groups). People must find them before. So each load keeps a bounded list of what
// its bills could be divided by, with the bills' cost of it. The list has the newest complete month and later ones, because
// options show no earlier costs.

/** The values of a row that the list is made from. */
export const LISTED_COLUMNS = { ...SPLITS, tags: tagsTextOf } satisfies Record<
  string,
  (file: Shape) => string
>;

export type ListedKey = keyof typeof LISTED_COLUMNS;

export const LISTED_KEYS = Object.keys(LISTED_COLUMNS) as readonly ListedKey[];

/** Returns whether a file has a column that can hold such values. */
export const canList = (file: Shape, key: ListedKey): boolean =>
  (key === 'tags' && (file.tags ?? []).length > 0) ||
  (key === 'resource_group' ? (['resource_group', 'resource'] as const) : [key]).some(
    (field) => present(file, field).length > 0,
  );

const SAMPLED_ROWS = 20_000;

/**
 * Returns whether most of the first 20,000 rows of a scan have tags of their own, such as the id of a request. Of lines that a
 * platform has grouped, all count. Then a load lists
 * no tags. Grouping by them takes several times as long as the rest. A list of only some rows would have wrong costs.
 */
export async function identifyingTags(reader: Statements, relations: readonly Relation[]): Promise<boolean> {
  const scans = relations.map(({ values, ...file }) =>
    values === undefined
      ? `SELECT count(DISTINCT tags) AS texts, ${SAMPLED_ROWS} AS lines FROM (SELECT ${tagsTextOf(file)} AS tags FROM ${file.from} LIMIT ${SAMPLED_ROWS})`
      : `SELECT count(DISTINCT tags) AS texts, greatest(sum(group_rows), ${SAMPLED_ROWS}) AS lines
         FROM (SELECT ${tagsTextOf(values)} AS tags, group_rows FROM ${values.from})`,
  );
  const [found] = await reader.query<{ identifies: boolean }>(
    `SELECT bool_or(texts > lines / 2) AS identifies FROM (${scans.join(' UNION ALL ')})`,
  );
  return found?.identifies === true;
}

/** Values of each kind that a load keeps, the dearest first. */
const MOST_VALUES = 1_000;
/** Values of one tag key that a load keeps, so that no key displaces the others. */
const MOST_VALUES_OF_KEY = 100;
const MOST_KEYS = 100;
/** Different texts of tags that are read. Most bills have far fewer: about one for each resource. */
const MOST_TEXTS = 100_000;
const SAMPLED_TEXTS = 20_000;

/** Returns whether a name can be picked: long ones and those with control characters cannot (api/spend/pick-fields.ts). */
export const isPickable = (text: string): string =>
  `${text} <> '' AND length(${text}) <= 500 AND NOT regexp_matches(${text}, '\\p{Cc}')`;

/**
 * Selects the list of a load from `value_groups`, with the cost in each billing period. Accounts have services and resource
 * groups. Clouds have tag values.
 *
 * Tags are bounded in three steps, because a row can have any keys, and a key a different value in each row:
 *
 * 1. Rows are already rolled up to distinct texts of tags. These are about as many as resources, and far fewer than rows. Only
 *    the dearest texts are read, so that a bill with a different tag in every row does not take much longer.
 * 2. A sample of these texts decides which keys count: the most frequent ones, without those that identify rather than group.
 *    A key identifies if it has more than 1,000 values in the sample, and most of its texts have a value of their own.
 * 3. The texts are summed by the values of these keys only.
 */
export const BILL_VALUES = `
WITH texts AS (
  SELECT billing_period, cloud, TRY_CAST(tags AS JSON) AS tags, cost FROM (
    SELECT billing_period, cloud, tags, sum(cost) AS cost FROM value_groups WHERE tags IS NOT NULL
    GROUP BY ALL ORDER BY cost DESC, tags LIMIT ${MOST_TEXTS})),
-- Tags are an object, or a list of keys and values.
entries_of_texts AS (
  SELECT billing_period, cloud, cost, CASE json_type(tags)
      WHEN 'OBJECT' THEN map_entries(TRY_CAST(tags AS MAP(VARCHAR, JSON)))
      WHEN 'ARRAY' THEN TRY_CAST(tags AS STRUCT(key VARCHAR, value JSON)[]) END AS entries
  FROM texts),
sampled AS (
  SELECT cloud, unnest(entries, recursive := true) FROM (
    SELECT cloud, entries FROM entries_of_texts ORDER BY hash(entries) LIMIT ${SAMPLED_TEXTS})),
key_counts AS (
  SELECT cloud, ${tagKeySql('cloud', normalTextSql('key'))} AS tag_key, count(*) AS texts, approx_count_distinct(value) AS tag_values FROM sampled GROUP BY ALL),
keys AS (
  SELECT cloud, tag_key FROM key_counts WHERE tag_values <= greatest(${MOST_VALUES}, texts / 2)
  QUALIFY row_number() OVER (PARTITION BY cloud ORDER BY texts DESC, tag_key) <= ${MOST_KEYS}),
tagged AS (
  SELECT billing_period, cloud, ${tagKeySql('cloud', normalTextSql('key'))} AS tag_key,
    ${normalTextSql("json_extract_string(value, '$')")} AS tag_value, cost
  FROM (SELECT billing_period, cloud, cost, unnest(entries, recursive := true) FROM entries_of_texts)),
all_values AS (
  SELECT billing_period, cloud, account, 'service' AS split_kind, ${normalTextSql('service')} AS split_value, NULL AS tag_key, NULL AS tag_value, cost
  FROM value_groups WHERE service IS NOT NULL
  UNION ALL
  SELECT billing_period, cloud, account, 'resource_group', ${normalTextSql('resource_group')}, NULL, NULL, cost
  FROM value_groups WHERE resource_group IS NOT NULL
  UNION ALL
  SELECT billing_period, cloud, NULL, NULL, NULL, tag_key, tag_value, cost FROM tagged SEMI JOIN keys USING (cloud, tag_key)),
sums AS (SELECT * EXCLUDE (cost), sum(cost) AS cost FROM all_values GROUP BY ALL),
pickable AS (
  FROM sums WHERE ${isPickable('COALESCE(split_value, tag_value)')} AND ${isPickable('COALESCE(tag_key, account)')})
FROM (
  FROM pickable QUALIFY tag_key IS NULL
    OR row_number() OVER (PARTITION BY billing_period, cloud, tag_key ORDER BY cost DESC, tag_value) <= ${MOST_VALUES_OF_KEY})
QUALIFY row_number() OVER (
  PARTITION BY billing_period, split_kind ORDER BY cost DESC, cloud, account, split_value, tag_key, tag_value) <= ${MOST_VALUES}`;
