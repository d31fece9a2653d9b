import type { BillLine, Identity } from '../organisation-story.ts';

/** A resource by the id in one feed, with the Google project if the feed knows it beside the id. */
export interface Known {
  means: Identity;
  project: string | null;
}

/**
 * Returns whether two ids can mean the same resource. Azure's ids are compared by path, never by name. The machine of a scale
 * set is also the set. Google's full ids are compared by project, zone and name. If one side has only the name, names are
 * compared, and also projects if both sides know them. Load balancers are compared by ARN if both sides know it, otherwise by
 * name. Everything else is compared by name.
 */
export function sameThing(a: Known, b: Known): boolean {
  const [mine, theirs] = [a.means, b.means];
  if (mine.of === 'azure' || theirs.of === 'azure')
    return (
      mine.of === 'azure' &&
      theirs.of === 'azure' &&
      (mine.path === theirs.path || mine.path === theirs.set || mine.set === theirs.path)
    );
  if (mine.of === 'made up' || theirs.of === 'made up') return false;
  if (mine.name !== theirs.name) return false;
  if ([mine, theirs].some(({ of }) => of === 'balancer' || of === 'cluster') && mine.of !== theirs.of)
    return false;
  if (mine.of === 'balancer' && theirs.of === 'balancer' && mine.arn !== null && theirs.arn !== null)
    return mine.arn === theirs.arn;
  if (mine.of === 'google' && theirs.of === 'google')
    return mine.project === theirs.project && mine.zone === theirs.zone;
  const [here, there] = [projectOf(a), projectOf(b)];
  return here === null || there === null || here === there;
}

const projectOf = ({ means, project }: Known): string | null =>
  means.of === 'google' ? means.project : project;

/** Returns the resource of a bill line; null for most lines. */
const lineThing = ({ resource, cloud, account }: BillLine): Known | null =>
  resource === null
    ? null
    : // An account of a Google bill is a project.
      { means: resource.means, project: cloud === 'gcp' ? account : null };

export function isFor(line: BillLine, thing: Known): boolean {
  const billed = lineThing(line);
  return billed !== null && sameThing(billed, thing);
}

/**
 * Returns whether several resources on the bills of a month have the name: machines in several accounts, projects or zones, load
 * balancers in several accounts, or several clusters. An id that Amazon generates is always one resource.
 */
export function isAmbiguous(thing: Known, linesOfMonth: readonly BillLine[]): boolean {
  if (thing.means.of === 'amazon') return false;
  const lines = linesOfMonth.filter((line) => isFor(line, thing));
  const places = lines.map(({ cloud, account, resource }) =>
    resource?.means.of === 'cluster' ? resource.means.id : `${cloud} ${account}`,
  );
  const zones = lines.flatMap(({ resource }) =>
    resource?.means.of === 'google' ? [resource.means.zone] : [],
  );
  return new Set(places).size > 1 || new Set(zones).size > 1;
}

/** Returns the cloud that made an id, null for a mere name. */
export const cloudOf = ({ means }: Known): string | null =>
  (({ amazon: 'aws', azure: 'azure', google: 'gcp' }) as Partial<Record<Identity['of'], string>>)[means.of] ??
  null;

/** Returns what all feeds call a machine, null for a mere name, which several machines can have. */
export function uniqueKey({ means }: Known): string | null {
  switch (means.of) {
    case 'amazon':
      return means.name;
    case 'azure':
      return means.path;
    case 'google':
      return `${means.project}/${means.zone}/${means.name}`;
    default:
      return null;
  }
}
