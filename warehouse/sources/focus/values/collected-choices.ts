import { dayOf } from '../../../../domain/shared/calendar.ts';
import type { CollectedChoice } from '../../../../domain/sources/readings/reading-record.ts';
import type { Queries } from '../../../engine/session.ts';

/** Choices are collected for this many days after their last use, so that a pick can come back without a loss. */
const KEPT_DAYS = 30;

/** Whether a choice is still collected on the day `$today`. */
export const IS_KEPT = `(unused_since IS NULL OR unused_since + ${KEPT_DAYS} >= $today::DATE)`;

/** Selects the choices that an organisation's loads collect on the day `$today`: in use now, or until lately. */
export const COLLECTED_CHOICES = `SELECT kind, cloud, account, choice, first_day FROM spend_choices WHERE org_id = $org AND ${IS_KEPT}`;

/** Returns these choices. */
export const collectedChoices = (session: Queries, orgId: string, now: Date): Promise<CollectedChoice[]> =>
  session.query<CollectedChoice>(`${COLLECTED_CHOICES} ORDER BY ALL`, { org: orgId, today: dayOf(now) });
