import { dayOf, type Day } from '../../../domain/shared/calendar.ts';
import { conflict } from '../../../domain/shared/errors.ts';
import {
  choiceInWords,
  choicesOf,
  tagKeyOf,
  type SpendChoice,
  type SpendPick,
} from '../../../domain/spend/spend-pick.ts';
import { idAfter } from '../../engine/sql/ids.ts';
import { IS_KEPT } from '../../sources/focus/values/collected-choices.ts';
import type { Queries, Session } from '../../engine/session.ts';
import { tagKeySql } from '../../engine/sql/tag-key.ts';

/** Whoever changes its picks, with the field that holds them. Changes of an organisation take `spendChoicesLock`. */
export interface SpendUser {
  type: 'metric' | 'team' | 'shared cost';
  id: string;
}

const FIELD = { metric: 'scope.spend', team: 'ownership', 'shared cost': 'spend' } as const;

/** Returns the name of the field that holds a user's picks, for messages. */
export const picksField = ({ type }: Pick<SpendUser, 'type'>): string => FIELD[type];

/** The lock under which an organisation's picks change. */
export const spendChoicesLock = (orgId: string): string => `spend choices ${orgId}`;

/**
 * Stores a user's picks with the choices that they need, and records from which day on nothing uses a choice of the picks
 * `before`. `store` writes the user with its new picks. Throws a conflict like {@link makeChoices}.
 */
export async function storePicks(
  session: Session,
  orgId: string,
  user: SpendUser,
  { before, picks }: { before: readonly SpendPick[]; picks: readonly SpendPick[] },
  now: Date,
  store: () => Promise<unknown>,
): Promise<void> {
  await makeChoices(session, orgId, user, choicesOf(picks, picksField(user)), now);
  await store();
  if (choicesOf(before, picksField(user)).length > 0) await noteUnusedChoices(session, orgId, now);
}

/** Makes the choices that a user's new picks need. Throws the first conflict of {@link planChoices}. */
async function makeChoices(
  session: Session,
  orgId: string,
  user: SpendUser,
  needed: readonly SpendChoice[],
  now: Date,
): Promise<void> {
  const { choices, conflicts } = await planChoices(session, orgId, user, needed, now);
  const [first] = conflicts;
  if (first !== undefined) throw conflict(first);
  for (const choice of choices) if (choice.begins !== null) await storeChoice(session, orgId, choice, now);
}

/** A choice as it will be once the picks are stored. */
interface PlannedChoice extends StoredChoice {
  /** Whether it begins today, or goes on after a time without use; null if it is in use already. */
  begins: 'today' | 'again' | null;
}

/**
 * Returns the choices that a user's new picks need, and what prevents them. A choice in use is shared. A choice that is still
 * collected continues from its first day. Any other choice begins today, and replaces one that nobody uses. A conflict names the
 * choice in use and its users, if the picks need another one (docs/concepts.md#tags-services-and-resource-groups).
 */
export async function planChoices(
  session: Session,
  orgId: string,
  user: SpendUser,
  needed: readonly SpendChoice[],
  now: Date,
): Promise<{ choices: PlannedChoice[]; conflicts: string[] }> {
  const plan = { choices: [] as PlannedChoice[], conflicts: [] as string[] };
  if (needed.length === 0) return plan;
  const today = dayOf(now);
  const versions = await session.query<StoredChoice & { is_kept: boolean; users: string[] }>(
    CHOICES_AND_USERS,
    { org: orgId, type: user.type, user: user.id, today },
  );
  for (const wanted of needed) {
    const { kind, cloud, account } = wanted;
    const found = versions.find((one) => one.kind === kind && one.cloud === cloud && one.account === account);
    const isSame = found !== undefined && comparable(found) === comparable(wanted);
    if (found !== undefined && !isSame && found.users.length > 0) {
      plan.conflicts.push(
        `${picksField(user)}: ${choiceInWords(wanted)} cannot be picked: ${choiceInWords(found)} is in use, by ${found.users.join(', ')}`,
      );
      continue;
    }
    const continues = isSame && found.is_kept;
    plan.choices.push({
      ...wanted,
      version_id: found?.version_id ?? null,
      first_day: continues ? found.first_day : today,
      unused_since: null,
      begins: !continues ? 'today' : found.unused_since === null ? null : 'again',
    });
  }
  return plan;
}

const comparable = ({ kind, cloud, choice }: SpendChoice): string =>
  kind === 'tag' ? tagKeyOf(cloud, choice) : choice;

/** The newest version of a choice. Its id is null before the first one. */
interface StoredChoice extends SpendChoice {
  version_id: string | null;
  first_day: Day;
  /** The day since which nothing uses it. */
  unused_since: Day | null;
}

/** Stores the state of a choice as the version after `version_id`. */
const storeChoice = (
  session: Session,
  orgId: string,
  { kind, cloud, account, choice, version_id, first_day, unused_since }: StoredChoice,
  now: Date,
): Promise<number> =>
  session.run(
    `INSERT INTO spend_choice_versions BY NAME
      SELECT $org AS org_id, $kind AS kind, $cloud AS cloud, $account AS account, $version::UUID AS version_id,
        $choice AS choice, $first_day::DATE AS first_day, $unused_since::DATE AS unused_since,
        $now::TIMESTAMP AS changed_at`,
    {
      org: orgId,
      kind,
      cloud,
      account,
      choice,
      first_day,
      unused_since,
      version: idAfter(version_id),
      now: now.toISOString(),
    },
  );

/** Whether a row of spend_picks, as `picks`, uses a row of spend_choices, as `choices`. */
export const USES_CHOICE = `picks.org_id = choices.org_id AND picks.cloud = choices.cloud AND (
  (choices.kind = 'tag' AND ${tagKeySql('choices.cloud', 'picks.tag_key')} = ${tagKeySql('choices.cloud', 'choices.choice')})
  OR (choices.kind = 'split' AND picks.account = choices.account AND picks.split_kind = choices.choice))`;

const collectedSince = (
  aside: string,
): string => `CASE WHEN choices.kind = 'tag' THEN 'tag key "' || choices.choice || '"'
  ELSE replace(choices.choice, '_', ' ') || ' in account "' || choices.account || '"' END
  || ' of ' || choices.cloud || '${aside} is collected from ' || choices.first_day || ' on'`;

/** The words for the day since which a choice, as `choices`, is collected. */
export const COLLECTED_SINCE = collectedSince('');

/** The words for the day since which a choice is collected, by which somebody else takes spend from an owner. */
export const TAKEN_SINCE = collectedSince(', by which another team or shared cost takes spend,');

/** A choice in use, with the words for the day since which it is collected. */
export interface BegunChoice {
  words: string;
  day: Day;
}

/** Returns the choices in use that are collected only from `since` or a later day on. */
export const choicesBegun = (warehouse: Queries, orgId: string, since: Day): Promise<BegunChoice[]> =>
  warehouse.query<BegunChoice>(
    `SELECT ${COLLECTED_SINCE} AS words, first_day AS day FROM spend_choices AS choices
     WHERE org_id = $org AND unused_since IS NULL AND first_day >= $since::DATE ORDER BY words`,
    { org: orgId, since },
  );

const CHOICES_AND_USERS = `
SELECT choices.kind, choices.cloud, choices.account, choices.choice, choices.version_id, choices.first_day,
  choices.unused_since, ${IS_KEPT} AS is_kept,
  COALESCE(list_sort(list(DISTINCT picks.user_type || ' "' || picks.user_name || '"')
    FILTER (picks.user_id IS NOT NULL AND NOT (picks.user_type = $type AND picks.user_id = $user))), []) AS users
FROM spend_choices AS choices LEFT JOIN (FROM spend_picks WHERE org_id = $org) AS picks ON ${USES_CHOICE}
WHERE choices.org_id = $org GROUP BY ALL`;

/** Records that nothing uses a choice any more from today on. */
async function noteUnusedChoices(session: Session, orgId: string, now: Date): Promise<void> {
  const unused = await session.query<StoredChoice>(
    `SELECT kind, cloud, account, choice, version_id, first_day FROM spend_choices AS choices
     WHERE org_id = $org AND unused_since IS NULL AND NOT EXISTS (FROM spend_picks AS picks WHERE ${USES_CHOICE})`,
    { org: orgId },
  );
  for (const choice of unused)
    await storeChoice(session, orgId, { ...choice, unused_since: dayOf(now) }, now);
}
