import { join } from 'node:path';
import type { Logger } from 'pino';
import { makeFolder } from '../../files/make-folder.ts';
import { checkSourceLocation, isLocal } from '../../egress/locations/source-location.ts';
import {
  ORGANISATION_PLACEHOLDER,
  sourceRulesOf,
  type SourceRulesOf,
} from '../../egress/locations/source-rules.ts';
import { COST_SOURCES, type CostSource } from '../../warehouse/sources/cost-sources.ts';
import { fileLocations } from '../../warehouse/sources/file-locations.ts';
import { listOrganisations, type Organisation } from '../../warehouse/organisations/organisations.ts';
import type { Warehouse } from '../../warehouse/engine/warehouse.ts';
import type { Settings } from '../settings/settings.ts';
import { closedBuckets } from './bucket-access.ts';

/**
 * Creates an organisation's folder for exports and returns its path. The operator creates the folders in SOURCE_ROOTS. If the
 * service cannot create a folder, for example below a read-only `exports`, it logs that the operator must.
 */
export const makeSourceFolder =
  (settings: Settings, log: Pick<Logger, 'warn'>): ((orgId: string) => Promise<string>) =>
  async (orgId) => {
    const [folder] = sourceRulesOf(settings)(orgId).roots;
    if (settings.SOURCE_ROOTS === null)
      await makeFolder(folder).catch((error: unknown) => {
        log.warn({ err: error, folder }, 'an organisation has no folder for exports: create it');
      });
    return folder;
  };

/** Creates the folders of the existing organisations, and logs what the operator should change about them. */
export async function prepareSourceFolders(
  warehouse: Warehouse,
  settings: Settings,
  log: Pick<Logger, 'warn'>,
  stopping: AbortSignal,
): Promise<void> {
  const organisations = await listOrganisations(warehouse);
  const shared = sharedFolders(organisations, settings);
  if (shared !== null) log.warn(shared);
  for (const organisation of organisations) {
    if (stopping.aborted) return;
    await makeSourceFolder(settings, log)(organisation.id);
    const outside = await sourcesOutside(warehouse, organisation, settings);
    if (outside !== null) log.warn(outside);
    const closed = await closedBuckets(warehouse, organisation, settings);
    if (closed !== null) log.warn(closed);
  }
}

/** Returns a note on the folders in which organisations can read each other's exports, or null if there are none. */
export function sharedFolders(
  organisations: readonly Organisation[],
  { sourceRoots }: Settings,
): string | null {
  const shared = sourceRoots.filter((root) => !root.includes(ORGANISATION_PLACEHOLDER));
  const [first] = shared;
  if (organisations.length < 2 || first === undefined) return null;
  return (
    `organisations can read each other's exports below ${shared.join(', ')}: give each its own folder, ` +
    `for example SOURCE_ROOTS=${join(first, ORGANISATION_PLACEHOLDER)}`
  );
}

/** Returns a note on the organisation's sources whose files are outside its folders, or null if there are none. */
export async function sourcesOutside(
  warehouse: Warehouse,
  { id, name }: Organisation,
  settings: Settings,
): Promise<string | null> {
  const rules = sourceRulesOf(settings)(id);
  const outside: string[] = [];
  for (const source of await COST_SOURCES.list(warehouse, id))
    if (await isOutside(source, rules)) outside.push(`${JSON.stringify(source.name)} (${source.id})`);
  if (outside.length === 0) return null;
  return (
    `organisation ${JSON.stringify(name)} (${id}): its folders (SOURCE_ROOTS) do not hold the files of the cost sources ` +
    `${outside.join(', ')}: move the files below ${rules.roots[0]} and change the locations, or add their folder to SOURCE_ROOTS`
  );
}

/** Whether files are outside the folders. */
async function isOutside(source: CostSource, rules: ReturnType<SourceRulesOf>): Promise<boolean> {
  for (const { location } of fileLocations(source.kind, source)) {
    if (!isLocal(location)) continue;
    const isAllowed = await checkSourceLocation(location, rules).then(
      () => true,
      () => false,
    );
    if (!isAllowed) return true;
  }
  return false;
}
