import { rm } from 'node:fs/promises';
import { EXPORT_KINDS, exportPath, NIGHTLY_MONTHS } from '../../domain/exports/export-kind.ts';
import { addMonths, dayOf, monthOf, monthsBack, monthsInclusive } from '../../domain/shared/calendar.ts';
import type { Clock } from '../../domain/shared/clock.ts';
import { placeOf } from '../../egress/exports/export-target.ts';
import type { StorageRules } from '../../egress/exports/export-place.ts';
import { sourceRulesOf } from '../../egress/locations/source-rules.ts';
import type { Settings } from '../settings/settings.ts';

/** Longest time for the removal of all files of an organisation. */
const TIMEOUT_MS = 600_000;

/**
 * Returns a function that removes the files of a deleted organisation: its folder for exports in the data directory, and what the
 * nightly export has written. Folders of SOURCE_ROOTS stay, because they are the operator's. Idempotent.
 */
export const removeOrganisationFiles =
  (settings: Settings, rules: StorageRules, clock: Clock) =>
  async (orgId: string, createdAt: Date): Promise<void> => {
    if (settings.SOURCE_ROOTS === null)
      for (const folder of sourceRulesOf(settings)(orgId).roots)
        await rm(folder, { recursive: true, force: true });
    if (settings.EXPORT_TO === null) return;
    const place = placeOf(settings.EXPORT_TO, orgId, rules);
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    for (const month of exportedMonths(createdAt, clock.now()))
      for (const kind of EXPORT_KINDS) await place.remove(exportPath(kind, month), signal);
  };

/** Returns the months that a nightly export can have written since an organisation was made. */
const exportedMonths = (createdAt: Date, now: Date): string[] => {
  const newest = monthOf(dayOf(now));
  const oldest = addMonths(monthOf(dayOf(createdAt)), 1 - NIGHTLY_MONTHS);
  return monthsBack(newest, Math.max(NIGHTLY_MONTHS, monthsInclusive(oldest, newest)));
};
