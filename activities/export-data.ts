import { activityInfo } from '@temporalio/activity';
import type { Logger } from 'pino';
import {
  EXPORT_KINDS,
  exportPath,
  featureOf,
  NIGHTLY_MONTHS,
  type ExportKind,
} from '../domain/exports/export-kind.ts';
import { includes } from '../domain/organisations/tiers.ts';
import { dayOf, monthOf, monthsBack } from '../domain/shared/calendar.ts';
import type { Clock } from '../domain/shared/clock.ts';
import type { FailureReason } from '../domain/shared/failure-reason.ts';
import type { StorageRules } from '../egress/exports/export-place.ts';
import { placeOf, type ExportTarget } from '../egress/exports/export-target.ts';
import { withParquetFile } from '../warehouse/exports/export-rows.ts';
import { exportRows } from '../warehouse/exports/exports.ts';
import type { Sealer } from '../security/sealing.ts';
import { findOrganisation } from '../warehouse/organisations/organisations.ts';
import type { Warehouse } from '../warehouse/engine/warehouse.ts';
import { logFailure } from './shared/log-failure.ts';
import { openReason } from './shared/seal-failures.ts';
import { withHeartbeats } from './shared/with-heartbeats.ts';

/** The nightly export of an organisation. A second run writes the same files again. */
export const createExportActivities = ({
  warehouse,
  clock,
  sealer,
  target,
  rules,
  log,
}: {
  warehouse: Warehouse;
  clock: Clock;
  sealer: Sealer;
  /** Null exports nothing. */
  target: ExportTarget | null;
  rules: StorageRules;
  log: Logger;
}) => ({
  /** Returns the kinds to export: none without a target, and those that the organisation's plan includes. */
  async kindsToExport(orgId: string): Promise<ExportKind[]> {
    const organisation = target === null ? null : await findOrganisation(warehouse, orgId);
    if (organisation === null) return [];
    return EXPORT_KINDS.filter((kind) => {
      const feature = featureOf(kind);
      return feature === null || includes(organisation.tier, feature);
    });
  },

  /**
   * Writes a file for each of the last months, and removes those of months without rows. Earlier files stay. Returns whether it
   * has computed or sealed any month. The files never hold revenue.
   */
  async exportKind({ orgId, kind }: { orgId: string; kind: ExportKind }): Promise<boolean> {
    const organisation = await findOrganisation(warehouse, orgId);
    if (target === null || organisation === null) return false;
    const place = placeOf(target, orgId, rules);
    const now = clock.now();
    let hasUpdated = false;
    let files = 0;
    await withHeartbeats([], async ({ signal }) => {
      for (const month of monthsBack(monthOf(dayOf(now)), NIGHTLY_MONTHS)) {
        const rows = await exportRows(kind, {
          warehouse,
          organisation,
          start: month,
          end: month,
          now,
          noteUpdates: ({ months }) => {
            hasUpdated ||= months.length > 0;
          },
        });
        const path = exportPath(kind, month);
        // The folder has the month.
        await withParquetFile(warehouse, rows, ['month'], signal, async (file) => {
          if (file === null) await place.remove(path, signal);
          else {
            await place.put(path, file, signal);
            files += 1;
          }
        });
      }
    });
    log.info({ organisation: orgId, kind, files }, 'an export is complete');
    return hasUpdated;
  },

  /** Logs that an export has failed for good, and why. */
  failExport({ orgId }: { orgId: string }, why: FailureReason): Promise<void> {
    const { workflowId = '' } = activityInfo().workflowExecution ?? {};
    const reason = openReason(sealer, why, { orgId, workflowId }) ?? why.text;
    logFailure(log, { kind: 'export', organisation: orgId, reason });
    return Promise.resolve();
  },
});

/** The names and shapes of the export activities, for workflows. */
export type ExportActivities = ReturnType<typeof createExportActivities>;
