import type { Session } from './session.ts';
import type { Warehouse } from './warehouse.ts';

/**
 * Remembers at which state of the logs that it is made of something was last found up to date, so that reads need not
 * look again. Logs only grow (design §2): while an organisation's have as many rows as then, they are as they were then,
 * whoever else writes to them.
 */
export class UpToDate {
  readonly #marks = new WeakMap<Warehouse, Map<string, string>>();
  readonly #sql: string;

  /** @param logs tables to which rows are only ever added. */
  constructor(logs: readonly string[]) {
    const counts = logs.map((log) => `(SELECT count(*) FROM ${log} WHERE org_id = $org)`);
    this.#sql = `SELECT concat_ws('/', ${counts.join(', ')}) AS mark`;
  }

  /** Whether nothing is to be done, as `check` says, or has said on the same day and of the same logs. */
  isKnown(
    warehouse: Warehouse,
    orgId: string,
    day: string,
    check: (session: Session) => Promise<boolean>,
  ): Promise<boolean> {
    return warehouse.session(async (session) => {
      // Read before the check: what is written meanwhile makes another mark.
      const [row] = await session.query<{ mark: string }>(this.#sql, { org: orgId });
      const mark = `${day} ${row?.mark ?? ''}`;
      const marks = this.#marks.get(warehouse) ?? new Map<string, string>();
      this.#marks.set(warehouse, marks);
      if (marks.get(orgId) === mark) return true;
      const isUpToDate = await check(session);
      if (isUpToDate) marks.set(orgId, mark);
      return isUpToDate;
    });
  }
}
