import { rm } from 'node:fs/promises';
import type { Logger } from 'pino';
import { EXPORT_KINDS, exportPath, NIGHTLY_MONTHS } from '../../domain/exports/export-kind.ts';
import { addMonths, dayOf, monthOf, monthsBack, monthsInclusive } from '../../domain/shared/calendar.ts';
import type { Clock } from '../../domain/shared/clock.ts';
import { placeOf } from '../../egress/exports/export-target.ts';
import { sourceRulesOf } from '../../egress/locations/source-rules.ts';
import type { Orchestration } from '../../temporal/orchestration.ts';
import { OPERATOR } from '../../domain/organisations/actor.ts';
import type { Warehouse } from '../../warehouse/engine/warehouse.ts';
import { IMPORTS } from '../../warehouse/imports/imports.ts';
import {
  closeOrganisation,
  completeDeletion,
  listDeletions,
  removeRows,
  type Deletion,
} from '../../warehouse/organisations/deleted-organisations.ts';
import { COST_SOURCES } from '../../warehouse/sources/cost-sources.ts';
import type { Settings } from '../settings/settings.ts';

/** Longest time for the removal of all files of an organisation. */
const TIMEOUT_MS = 600_000;

interface Parts {
  warehouse: Warehouse;
  orchestration: Orchestration;
  clock: Clock;
  settings: Pick<Settings, 'SOURCE_ROOTS' | 'sourceRoots' | 'EXPORT_TO' | 'PRIVATE_TARGETS'>;
  log: Logger;
}

/**
 * Closes an organisation for good, and deletes all that it has: schedules and running work, files, and rows. Idempotent: after a
 * crash another call goes on. Returns the record of the deletion, or null if no organisation ever had this id.
 */
export async function deleteOrganisation(parts: Parts, id: string): Promise<Deletion | null> {
  const { warehouse, orchestration, clock, log } = parts;
  const closed = await closeOrganisation(warehouse, id, { actor: OPERATOR, now: clock.now() });
  if (closed === null) return null;
  log.info({ organisation: id }, 'an organisation is closed; its data are being deleted');
  // The rows go last, because the steps before need them.
  await orchestration.endOrganisation(id, {
    sources: (await COST_SOURCES.list(warehouse, id)).map((source) => source.id),
    metrics: (await IMPORTS.list(warehouse, id)).map(({ metric_id }) => metric_id),
  });
  await removeFiles(parts, id, closed.createdAt);
  const rows = await removeRows(warehouse, [id], clock.now());
  // A request that was under way when the organisation was closed may have started one more.
  await orchestration.endWorkflows(id);
  const deletion = await completeDeletion(warehouse, id, { actor: OPERATOR, now: clock.now() });
  log.info({ organisation: id, rows }, 'an organisation is deleted');
  return deletion;
}

/** Goes on with the deletions that have stopped halfway. One that fails waits for the next start, or for the operator. */
export async function finishDeletions(parts: Parts, stopping: AbortSignal): Promise<void> {
  const { warehouse, log } = parts;
  const unable = (error: unknown): void => {
    log.warn({ err: error }, 'a deletion could not be completed; delete the organisation again');
  };
  const deletions = await listDeletions(warehouse).catch(unable);
  for (const { organisation, completed_at } of deletions ?? [])
    if (completed_at === null && !stopping.aborted)
      await deleteOrganisation(parts, organisation).catch(unable);
}

/**
 * Removes the files of a deleted organisation: its folder for exports in the data directory, and what the nightly export has
 * written. Folders of SOURCE_ROOTS stay, because they are the operator's.
 */
async function removeFiles(
  { settings, warehouse, clock }: Parts,
  orgId: string,
  createdAt: Date,
): Promise<void> {
  if (settings.SOURCE_ROOTS === null)
    for (const folder of sourceRulesOf(settings)(orgId).roots)
      await rm(folder, { recursive: true, force: true });
  if (settings.EXPORT_TO === null) return;
  const { objectStorage } = warehouse.settings;
  const place = placeOf(settings.EXPORT_TO, orgId, {
    objectStorage,
    privateTargets: settings.PRIVATE_TARGETS,
  });
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  for (const month of exportedMonths(createdAt, clock.now()))
    for (const kind of EXPORT_KINDS) await place.remove(exportPath(kind, month), signal);
}

/** Returns the months that a nightly export can have written since an organisation was made. */
function exportedMonths(createdAt: Date, now: Date): string[] {
  const newest = monthOf(dayOf(now));
  const oldest = addMonths(monthOf(dayOf(createdAt)), 1 - NIGHTLY_MONTHS);
  return monthsBack(newest, Math.max(NIGHTLY_MONTHS, monthsInclusive(oldest, newest)));
}
