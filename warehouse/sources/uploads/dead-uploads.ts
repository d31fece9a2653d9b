import type { Warehouse } from '../../engine/warehouse.ts';

/** Hours for which a replaced content stays, because a run may be reading it. */
const GRACE_HOURS = 24;

/**
 * Removes contents of files that were replaced or deleted, those of deleted sources, and the parts of uploads that broke off.
 * Idempotent. Returns the number of removed rows.
 */
export const removeDeadUploads = (warehouse: Warehouse, now: Date): Promise<number> =>
  warehouse.transaction(async (session) => {
    const removed = await session.run(
      `DELETE FROM uploaded_contents
       WHERE stored_at < CAST($now AS TIMESTAMP) - INTERVAL ${GRACE_HOURS} HOUR
         AND (org_id, content_id) NOT IN (
           SELECT org_id, CAST(content->>'id' AS UUID) FROM uploaded_files SEMI JOIN cost_sources USING (org_id, source_id))`,
      { now: now.toISOString() },
    );
    return removed + (await session.run(DELETE_PARTS));
  });

// The only instant of an upload that broke off is in its id. It comes from the machine's clock, not from CLOCK.
const DELETE_PARTS = `
DELETE FROM uploaded_parts
WHERE (org_id, content_id) NOT IN (SELECT org_id, content_id FROM uploaded_contents)
  AND CAST(uuid_extract_timestamp(content_id) AS TIMESTAMP) < CAST(now() AS TIMESTAMP) - INTERVAL ${GRACE_HOURS} HOUR`;
