import { mkdir, stat } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import type { Logger } from 'pino';
import { fileLocations } from '../activities/load-source.ts';
import { checkSourceLocation, isLocal } from '../egress/source-location.ts';
import { ORGANISATION_PLACEHOLDER, sourceRulesOf, type SourceRulesOf } from '../egress/source-rules.ts';
import { listCostSources, type CostSource } from '../warehouse/cost-sources.ts';
import { listOrganisations, type Organisation } from '../warehouse/organisations.ts';
import type { Warehouse } from '../warehouse/warehouse.ts';
import type { Settings } from './settings.ts';

/**
 * Makes an organisation's folder for exports and returns its path. Folders that the operator named in SOURCE_ROOTS are the
 * operator's to make.
 */
export const makeSourceFolder =
  (settings: Settings): ((orgId: string) => Promise<string>) =>
  async (orgId) => {
    const [folder] = sourceRulesOf(settings)(orgId).roots;
    if (settings.SOURCE_ROOTS === null) await mkdir(folder, { recursive: true, mode: 0o700 });
    return folder;
  };

/** Makes the folders of the organisations that exist, and logs what the operator should mend about them. */
export const prepareSourceFolders = async (
  warehouse: Warehouse,
  settings: Settings,
  log: Pick<Logger, 'warn'>,
): Promise<void> => {
  const organisations = await listOrganisations(warehouse);
  for (const { id } of organisations) await makeSourceFolder(settings)(id);
  const { shared, outside } = await sourceFolderProblems(warehouse, organisations, settings);
  if (shared !== null) log.warn(shared);
  for (const problem of outside) log.warn(problem);
};

/** What is wrong with the folders of exports, in words. */
export interface SourceFolderProblems {
  /** Folders in which organisations can read each other's exports. */
  shared: string | null;
  /** For each organisation, the sources whose files its folders do not hold. */
  outside: string[];
}

/** What an operator should mend about the folders of SOURCE_ROOTS and about the sources that read from them. */
export const sourceFolderProblems = async (
  warehouse: Warehouse,
  organisations: readonly Organisation[],
  settings: Settings,
): Promise<SourceFolderProblems> => {
  const common = settings.sourceRoots.filter((root) => !root.includes(ORGANISATION_PLACEHOLDER));
  const outside: string[] = [];
  for (const organisation of organisations) {
    const rules = sourceRulesOf(settings)(organisation.id);
    const lost: string[] = [];
    for (const source of await listCostSources(warehouse, organisation.id))
      if (await isOutside(source, rules)) lost.push(`${JSON.stringify(source.name)} (${source.id})`);
    if (lost.length > 0)
      outside.push(
        `organisation ${JSON.stringify(organisation.name)} (${organisation.id}): its folders (SOURCE_ROOTS) do not hold the ` +
          `files of the cost sources ${lost.join(', ')}: move the files below ${rules.roots[0]} and change the ` +
          'locations, or add their folder to SOURCE_ROOTS',
      );
  }
  return { shared: organisations.length > 1 ? sharedInWords(common) : null, outside };
};

const sharedInWords = ([first, ...others]: readonly string[]): string | null =>
  first === undefined
    ? null
    : `organisations can read each other's exports below ${[first, ...others].join(', ')}: give each its own folder, ` +
      `for example SOURCE_ROOTS=${join(first, ORGANISATION_PLACEHOLDER)}`;

/** An earlier version took relative locations from the working directory: such a file is not where it is looked for now. */
const isOutside = async (source: CostSource, rules: ReturnType<SourceRulesOf>): Promise<boolean> => {
  for (const location of fileLocations(source).filter(isLocal)) {
    const isAllowed = await checkSourceLocation(location, rules).then(
      () => true,
      () => false,
    );
    if (!isAllowed) return true;
    const [folder = ''] = location.split(/[*?[]/);
    const isRelative = !isAbsolute(location) && !/^file:/i.test(location);
    if (isRelative && !(await exists(resolve(rules.roots[0], folder))) && (await exists(resolve(folder))))
      return true;
  }
  return false;
};

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
