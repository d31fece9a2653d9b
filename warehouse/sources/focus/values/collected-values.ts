import { dayOf, type Day } from '../../../../domain/shared/calendar.ts';
import type { Shape } from '../../feeds/scan-files.ts';
import { assignedOf, textOf } from '../focus-columns.ts';
import { tagValueOf } from './focus-tags.ts';
import { copyToReader, type LoadSessions } from '../../../engine/readers/load-sessions.ts';
import { COLLECTED_CHOICES } from './collected-choices.ts';
import { normalTextSql } from '../../../engine/sql/normal-text.ts';
import { quoted } from '../../feeds/cells.ts';
import { sqlText } from '../../../engine/sql/sql-text.ts';
import { dropTemporaryTables } from '../../../engine/sql/temporary-tables.ts';

/** A choice that picks use from a day on: a cloud's tag key, or an account's split. */
interface FocusChoice {
  kind: 'tag' | 'split';
  cloud: string;
  account: string;
  /** The tag key, or `service` or `resource_group`. */
  choice: string;
  first_day: Day;
}

/**
 * A value that may divide the rows of an export: of one tag key, the service, or the resource group. The row's cloud and days
 * decide whether it counts. They are known only after grouping.
 */
export interface Candidate {
  column: string;
  /** A label is what the bill itself says about a row: its cluster or namespace. It is collected on all days. */
  kind: FocusChoice['kind'] | 'label';
  choice: string;
  /** Whether it is a tag key of Azure, where upper and lower case are the same. */
  isAzureTag: boolean;
  /** Rows that end before this day need no value. */
  firstDay: Day;
  /** Returns the SQL of a row's value, null in accounts without the choice. */
  valueIn: (file: Shape) => string;
}

/**
 * Returns the candidates to collect for the organisation's choices at `now`; empty without choices. Clouds and accounts with the
 * same choice share a candidate. Creates the temporary table `focus_choices` of the choices in both databases.
 */
export async function candidatesToCollect(
  sessions: LoadSessions,
  orgId: string,
  now: Date,
): Promise<Candidate[]> {
  const { session, reader } = sessions;
  // A reading may begin again with more files.
  await dropTemporaryTables(session, ['focus_choices']);
  await dropTemporaryTables(reader, ['focus_choices']);
  // No tag key holds a NUL character, which would end the text of a statement.
  await session.run(
    `CREATE TEMP TABLE focus_choices AS
     FROM (${COLLECTED_CHOICES}) WHERE NOT contains(choice || account, chr(0))`,
    { org: orgId, today: dayOf(now) },
  );
  const rows = await session.query<FocusChoice>(
    'SELECT kind, cloud, account, choice, first_day FROM temp.main.focus_choices ORDER BY kind, choice, cloud, account',
  );
  await copyToReader(sessions, 'focus_choices', 'FROM temp.main.focus_choices');
  const alike = new Map<string, FocusChoice[]>();
  for (const row of rows) {
    const key = JSON.stringify([row.kind, row.choice, isAzureTag(row)]);
    alike.set(key, [...(alike.get(key) ?? []), row]);
  }
  return [...alike.values()].flatMap((choices, index) => {
    const [first] = choices;
    if (first === undefined) return [];
    const { kind, choice } = first;
    const firstDay = choices.map(({ first_day }) => first_day).reduce((a, b) => (a < b ? a : b));
    const valueIn = valueOf(first, choices);
    const column = `${kind}_${index}`;
    return valueIn === null
      ? []
      : [{ column, kind, choice, isAzureTag: isAzureTag(first), firstDay, valueIn }];
  });
}

const isAzureTag = ({ kind, cloud }: Pick<FocusChoice, 'kind' | 'cloud'>): boolean =>
  kind === 'tag' && cloud === 'azure';

function valueOf(first: FocusChoice, choices: readonly FocusChoice[]): Candidate['valueIn'] | null {
  const { kind, choice } = first;
  if (kind === 'tag')
    return (file) => tagValueOf(file, choice, isAzureTag(first) ? 'in any case' : 'exactly');
  if (!isSplit(choice)) return null;
  const accounts = choices.map(({ account }) => sqlText(account)).join(', ');
  return (file) =>
    `CASE WHEN ${normalTextSql(assignedOf(file, 'account'))} IN (${accounts}) THEN ${SPLITS[choice](file)} END`;
}

/**
 * The values by which an account can be split. Resource groups are in lower case. A bill may spell a group differently in
 * `x_ResourceGroupName` and in the resource's id. Azure treats both spellings as the same group. Most ids have no group, which
 * a search for a part of the word finds out faster than the expression.
 */
export const SPLITS = {
  service: (file: Shape) => textOf(file, 'service'),
  resource_group: (file: Shape) => `lower(COALESCE(${assignedOf(file, 'resource_group')},
    CASE WHEN contains(${textOf(file, 'resource')}, 'roups/') OR contains(${textOf(file, 'resource')}, 'ROUPS/')
      THEN NULLIF(regexp_extract(${textOf(file, 'resource')}, '/resourceGroups/([^/]+)', 1, 'i'), '') END))`,
} as const;

const isSplit = (choice: string): choice is keyof typeof SPLITS => Object.hasOwn(SPLITS, choice);

/** Returns the field of an export that holds a candidate's values. */
export function fieldOf({ kind, choice }: Candidate): 'tags' | 'service' | 'resource_group' {
  if (kind !== 'split') return 'tags';
  return choice === 'service' ? 'service' : 'resource_group';
}

/** The columns of tables whose lines name clusters and namespaces. */
export const CLUSTER_LABELS = ['cluster', 'namespace'] as const;

/** The candidates that hold the cluster and the namespace of lines. */
export const CLUSTER_CANDIDATES: readonly Candidate[] = CLUSTER_LABELS.map((column) => ({
  column,
  kind: 'label',
  choice: column,
  isAzureTag: false,
  firstDay: '1970-01-01',
  valueIn: () => quoted(column),
}));

/** Returns the columns `cluster` and `namespace`, which are null if the candidates do not hold them. */
export const clusterOf = (candidates: readonly Candidate[]): string =>
  candidates.some(({ kind }) => kind === 'label')
    ? CLUSTER_LABELS.join(', ')
    : CLUSTER_LABELS.map((column) => `CAST(NULL AS VARCHAR) AS ${column}`).join(', ');

/** Returns the candidates' columns, each followed by a comma. */
export const columnsOf = (candidates: readonly Candidate[]): string =>
  candidates.map(({ column }) => `${column}, `).join('');

/** Returns the SQL of the candidate value that a joined row of `focus_choices` chooses. The row's alias is its kind. */
export function chosenValue(candidates: readonly Candidate[], kind: FocusChoice['kind']): string {
  const cases = candidates
    .filter((candidate) => candidate.kind === kind)
    .map(({ choice, column, isAzureTag: ofAzure }) => {
      const cloud = kind === 'tag' ? ` AND ${kind}.cloud ${ofAzure ? '=' : '<>'} 'azure'` : '';
      return `WHEN ${kind}.choice = ${sqlText(choice)}${cloud} THEN ${column}`;
    });
  return cases.length === 0 ? 'CAST(NULL AS VARCHAR)' : `CASE ${cases.join(' ')} END`;
}
