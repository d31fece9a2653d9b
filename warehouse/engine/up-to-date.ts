import type { Session } from './session.ts';
import type { Warehouse } from './warehouse.ts';

/**
 * Caches the row counts of an organisation's logs at which derived data was current, so that reads need no further check. Logs
 * only grow (design §2). So unchanged counts mean that the data is still current, even if other processes write to the logs.
 */
export class UpToDate {
  readonly #marks = new WeakMap<Warehouse, Map<string, string>>();
  readonly #sql: string;

  /** @param logs tables that only grow. */
  constructor(logs: readonly string[]) {
    const counts = logs.map((log) => `(SELECT count(*) FROM ${log} WHERE org_id = $org)`);
    this.#sql = `SELECT concat_ws('/', ${counts.join(', ')}) AS mark`;
  }

  /** Whether the data is current, by `check` now, or by an earlier `check` on the same day with the same logs. */
  isKnown(
    warehouse: Warehouse,
    orgId: string,
    day: string,
    check: (session: Session) => Promise<boolean>,
  ): Promise<boolean> {
    return warehouse.session(async (session) => {
      // Reads the mark before the check, so that writes during the check lead to another mark.
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
