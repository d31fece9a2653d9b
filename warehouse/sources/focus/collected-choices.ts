/** For how many days after its last use a choice is still collected, so that a pick can be put back without a loss. */
const KEPT_DAYS = 30;

/** Whether a choice is still collected on the day `$today`. */
export const IS_KEPT = `(unused_since IS NULL OR unused_since + ${KEPT_DAYS} >= $today::DATE)`;

/** What loads of an organisation collect on the day `$today`: the choices in use and those that were until lately. */
export const COLLECTED_CHOICES = `SELECT kind, cloud, account, choice, first_day FROM spend_choices WHERE org_id = $org AND ${IS_KEPT}`;
