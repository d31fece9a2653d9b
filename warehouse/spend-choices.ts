import { dayOf } from '../domain/calendar.ts';
import { conflict } from '../domain/errors.ts';
import { choiceInWords, choicesOf, type SpendChoice, type SpendPick } from '../domain/spend-pick.ts';
import { idAfter } from './ids.ts';
import type { Session } from './session.ts';

/** Who changes its picks, and the field that holds them; only one of an organisation at a time may (`spendChoicesOf`). */
export interface SpendUser {
  type: 'metric' | 'team' | 'shared cost';
  id: string;
}

const FIELD = { metric: 'scope.spend', team: 'ownership', 'shared cost': 'spend' } as const;

/** The field of a user's that holds its picks, for messages. */
export const picksField = ({ type }: Pick<SpendUser, 'type'>): string => FIELD[type];

/** The key under which changes of an organisation's picks exclude one another. */
export const spendChoicesOf = (orgId: string): string => `spend choices ${orgId}`;

/**
 * Stores a user's picks with the choices they need, and releases those that nothing uses any more; `store` writes
 * what has the picks now. Throws a conflict as {@link makeChoices} does.
 */
export const storePicks = async (
  session: Session,
  orgId: string,
  user: SpendUser,
  picks: readonly SpendPick[],
  now: Date,
  store: () => Promise<unknown>,
): Promise<void> => {
  await makeChoices(session, orgId, user, choicesOf(picks, picksField(user)), now);
  await store();
  await releaseUnusedChoices(session, orgId, now);
};

/**
 * Makes the choices that a user's new picks need: what is in use already is shared, what is free is set and
 * collected from today on. Throws a conflict that names the choice in use and its users when another one than
 * this user needs it to be different (spec §1, counting rule 5).
 */
const makeChoices = async (
  session: Session,
  orgId: string,
  user: SpendUser,
  needed: readonly SpendChoice[],
  now: Date,
): Promise<void> => {
  if (needed.length === 0) return;
  const versions = await session.query<
    SpendChoice & { version_id: string; in_force: boolean; users: string[] }
  >(CHOICES_AND_USERS, { org: orgId, type: user.type, user: user.id });
  for (const wanted of needed) {
    const { kind, cloud, account } = wanted;
    const found = versions.find((one) => one.kind === kind && one.cloud === cloud && one.account === account);
    if (found?.in_force === true) {
      if (found.choice === wanted.choice) continue;
      if (found.users.length > 0) {
        throw conflict(
          `${picksField(user)}: ${choiceInWords(wanted)} cannot be picked: ${choiceInWords(found)} is in use, by ${found.users.join(', ')}`,
        );
      }
    }
    await session.run(
      `INSERT INTO spend_choice_versions BY NAME
        SELECT $org AS org_id, $kind AS kind, $cloud AS cloud, $account AS account, $version::UUID AS version_id,
          $choice AS choice, $today::DATE AS first_day, $now::TIMESTAMP AS changed_at`,
      {
        org: orgId,
        ...wanted,
        version: idAfter(found?.version_id ?? null),
        today: dayOf(now),
        now: now.toISOString(),
      },
    );
  }
};

/** Whether a row of spend_picks, as `picks`, uses a row of spend_choices, as `choices`. */
export const USES_CHOICE = `picks.org_id = choices.org_id AND picks.cloud = choices.cloud AND (
  (choices.kind = 'tag' AND picks.tag_key = choices.choice)
  OR (choices.kind = 'split' AND picks.account = choices.account AND picks.split_kind = choices.choice))`;

/** Since when a choice, as `choices`, is collected, in words. */
export const COLLECTED_SINCE = `CASE WHEN choices.kind = 'tag' THEN 'tag key "' || choices.choice || '"'
  ELSE replace(choices.choice, '_', ' ') || ' in account "' || choices.account || '"' END
  || ' of ' || choices.cloud || ' is collected from ' || choices.first_day || ' on'`;

const CHOICES_AND_USERS = `
WITH choices AS (
  SELECT * FROM spend_choice_versions WHERE org_id = $org
  QUALIFY row_number() OVER (PARTITION BY org_id, kind, cloud, account ORDER BY version_id DESC) = 1)
SELECT choices.kind, choices.cloud, choices.account, choices.choice, choices.version_id, choices.choice IS NOT NULL AS in_force,
  COALESCE(list_sort(list(DISTINCT picks.user_type || ' "' || picks.user_name || '"')
    FILTER (picks.user_id IS NOT NULL AND NOT (picks.user_type = $type AND picks.user_id = $user))), []) AS users
FROM choices LEFT JOIN (FROM spend_picks WHERE org_id = $org) AS picks ON ${USES_CHOICE}
GROUP BY ALL`;

/** Releases the choices that no pick uses any more: the next one to pick may choose anew, and is collected anew. */
const releaseUnusedChoices = async (session: Session, orgId: string, now: Date): Promise<void> => {
  const unused = await session.query<SpendChoice & { version_id: string }>(
    `SELECT * FROM spend_choices AS choices
     WHERE org_id = $org AND NOT EXISTS (FROM spend_picks AS picks WHERE ${USES_CHOICE})`,
    { org: orgId },
  );
  for (const { kind, cloud, account, version_id } of unused) {
    await session.run(
      `INSERT INTO spend_choice_versions BY NAME
        SELECT $org AS org_id, $kind AS kind, $cloud AS cloud, $account AS account, $version::UUID AS version_id,
          NULL AS choice, NULL AS first_day, $now::TIMESTAMP AS changed_at`,
      { org: orgId, kind, cloud, account, version: idAfter(version_id), now: now.toISOString() },
    );
  }
};
