import type { Identity } from './organisation-story.ts';

/** A machine, disk or scale set as somebody knows it, with the Google project where he knows that beside the id. */
export interface Known {
  means: Identity;
  project: string | null;
}

/**
 * Whether two who speak of a thing can mean the same one (sources §2). Azure's path says all, and no name stands for
 * it. Google's full id says project, zone and name; where one side knows only the name, names are compared, and
 * projects as far as both sides know theirs. All else goes by name.
 */
export const sameThing = (a: Known, b: Known): boolean => {
  if (a.means.of === 'azure' || b.means.of === 'azure')
    return a.means.of === 'azure' && b.means.of === 'azure' && a.means.path === b.means.path;
  if (a.means.name !== b.means.name) return false;
  if (a.means.of === 'google' && b.means.of === 'google')
    return a.means.project === b.means.project && a.means.zone === b.means.zone;
  const [mine, theirs] = [projectOf(a), projectOf(b)];
  return mine === null || theirs === null || mine === theirs;
};

const projectOf = ({ means, project }: Known): string | null =>
  means.of === 'google' ? means.project : project;
