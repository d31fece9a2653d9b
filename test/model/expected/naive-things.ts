import type { BillLine, Identity } from '../organisation-story.ts';

/** Something that costs, as somebody knows it, with the Google project where he knows that beside the id. */
export interface Known {
  means: Identity;
  project: string | null;
}

/**
 * Whether two who speak of a thing can mean the same one (sources §2). Azure's path says all, and no name stands for
 * it. Google's full id says project, zone and name; where one side knows only the name, names are compared, and
 * projects as far as both sides know theirs. Load balancers go by their ARN where both know it, else by name; a
 * cluster goes by its name. All else goes by name.
 */
export const sameThing = (a: Known, b: Known): boolean => {
  const [mine, theirs] = [a.means, b.means];
  if (mine.of === 'azure' || theirs.of === 'azure')
    return mine.of === 'azure' && theirs.of === 'azure' && mine.path === theirs.path;
  if (mine.name !== theirs.name) return false;
  if ([mine, theirs].some(({ of }) => of === 'balancer' || of === 'cluster') && mine.of !== theirs.of)
    return false;
  if (mine.of === 'balancer' && theirs.of === 'balancer' && mine.arn !== null && theirs.arn !== null)
    return mine.arn === theirs.arn;
  if (mine.of === 'google' && theirs.of === 'google')
    return mine.project === theirs.project && mine.zone === theirs.zone;
  const [here, there] = [projectOf(a), projectOf(b)];
  return here === null || there === null || here === there;
};

const projectOf = ({ means, project }: Known): string | null =>
  means.of === 'google' ? means.project : project;

/** What a bill line is for; null for most. */
const lineThing = ({ resource, cloud, account }: BillLine): Known | null =>
  resource === null
    ? null
    : // An account of Google's bill is a project.
      { means: resource.means, project: cloud === 'gcp' ? account : null };

export const isFor = (line: BillLine, thing: Known): boolean => {
  const billed = lineThing(line);
  return billed !== null && sameThing(billed, thing);
};

/**
 * Whether a thing's mere name is that of several: machines in several accounts, projects or zones, load balancers in several
 * accounts, several clusters, on the bills of a month. An id that Amazon makes is one thing wherever it stands.
 */
export const isAmbiguous = (thing: Known, linesOfMonth: readonly BillLine[]): boolean => {
  if (thing.means.of === 'amazon') return false;
  const lines = linesOfMonth.filter((line) => isFor(line, thing));
  const places = lines.map(({ cloud, account, resource }) =>
    resource?.means.of === 'cluster' ? resource.means.id : `${cloud} ${account}`,
  );
  const zones = lines.flatMap(({ resource }) =>
    resource?.means.of === 'google' ? [resource.means.zone] : [],
  );
  return new Set(places).size > 1 || new Set(zones).size > 1;
};
