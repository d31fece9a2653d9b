/**
 * The forms of a pick: which columns of the month's spend it names, and which rows can be picked by it at all.
 * Bill lines that are cluster or host spend have another source than `cloud`; what a cluster or host has beyond its
 * workloads and services, idle among it, has none of those (spec §1, counting rules 2 and 3).
 */
export const FORMS = [
  { name: 'account', columns: ['cloud', 'account'], picks: 'account IS NOT NULL AND split_kind IS NULL' },
  {
    name: 'split',
    columns: ['cloud', 'account', 'split_kind', 'split_value'],
    picks: 'split_kind IS NOT NULL',
  },
  { name: 'tag', columns: ['cloud', 'tag_key', 'tag_value'], picks: 'tag_key IS NOT NULL' },
  {
    name: 'namespace',
    columns: ['cluster', 'namespace'],
    picks: 'namespace IS NOT NULL AND workload IS NULL',
  },
  { name: 'workload', columns: ['cluster', 'namespace', 'workload'], picks: 'workload IS NOT NULL' },
  { name: 'host', columns: ['host'], picks: 'host IS NOT NULL AND host_service IS NULL' },
  { name: 'service', columns: ['host', 'host_service'], picks: 'host_service IS NOT NULL' },
  { name: 'repository', columns: ['repository'], picks: 'repository IS NOT NULL' },
] as const;

/** Which rows of `spend` can be picked at all. */
export const PICKABLE_ROWS = `(spend.source = 'cloud' OR spend.namespace IS NOT NULL
    OR spend.host_service IS NOT NULL OR spend.repository IS NOT NULL)`;

/** All columns that picks name, each with the forms that name it. */
const COLUMNS = [...new Set(FORMS.flatMap(({ columns }) => columns))].map((column) => ({
  column,
  forms: FORMS.filter(({ columns }) => (columns as readonly string[]).includes(column)),
}));

const pickedFlag = (form: string): string => `${form}_picked`;

/**
 * The cost of picked spend by user and month, as the table `picked_costs` (user_id, month, cost), from `spend` (the
 * rows of month_spend) and `picks` (those of spend_picks). First the spend is rolled up to what is picked by
 * anyone, so that few rows are left; then each user gets each of those rows once, however many of its picks match
 * it: a dollar counts once. Work grows with spend plus picks, not with their product (design §2, Months).
 */
export const PICKED_COSTS = `
picked_rows AS (
  SELECT row_number() OVER () AS row_id, *
  FROM (
    SELECT month, ${COLUMNS.map(({ column, forms }) => `CASE WHEN ${forms.map(({ name }) => pickedFlag(name)).join(' OR ')} THEN spend.${column} END AS ${column}`).join(',\n      ')},
      sum(cost) AS cost
    FROM spend
    ${FORMS.map(
      ({ name, columns, picks }) => `LEFT JOIN (
      SELECT DISTINCT ${columns.join(', ')}, true AS ${pickedFlag(name)} FROM picks WHERE ${picks}) AS picked_${name}s
      ON ${columns.map((column) => `picked_${name}s.${column} = spend.${column}`).join(' AND ')}`,
    ).join('\n    ')}
    WHERE ${PICKABLE_ROWS} AND (${FORMS.map(({ name }) => pickedFlag(name)).join(' OR ')})
    GROUP BY ALL)),
matches AS (
  ${FORMS.map(
    ({ name, columns, picks }) => `SELECT user_id, row_id FROM picked_rows
    JOIN (SELECT user_id, ${columns.join(', ')} FROM picks WHERE ${picks}) AS ${name}_picks USING (${columns.join(', ')})`,
  ).join('\n  UNION\n  ')}),
picked_costs AS (
  SELECT user_id, month, sum(cost) AS cost FROM matches JOIN picked_rows USING (row_id) GROUP BY ALL)`;

/** Which source of spend a pick's kind comes from, as cost sources name it. */
export const PICKED_KIND = `CASE source WHEN 'cloud' THEN 'focus' WHEN 'kubernetes' THEN 'opencost' WHEN 'host' THEN 'hosts' ELSE 'ai_tools' END`;
