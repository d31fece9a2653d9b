import { addDays, type Day } from '../../domain/shared/calendar.ts';
import { formatOf } from '../../warehouse/sources/feeds/export-files.ts';

/** Whose form of the API a host speaks: Kubecost's lies under `/model`, and has shares to switch off (sources §2). */
export type ApiForm = 'opencost' | 'kubecost';

/** Whether an OpenCost source's location is the base URL of an API; otherwise it stands for files. */
export const isApiLocation = (location: string): boolean =>
  /^https?:\/\//i.test(location) && formatOf(location) === null;

/** The form that a base URL tells by itself. */
export const formOfBase = (base: URL): ApiForm =>
  /\/model\/*$/.test(base.pathname) ? 'kubecost' : 'opencost';

/** The base URL of Kubecost's form on the same host. */
export const kubecostBase = (base: URL): URL => at(base, '/model');

// Relative windows would use the server's time zone.
const windowOf = (day: Day): string => `window=${day}T00:00:00Z,${addDays(day, 1)}T00:00:00Z`;

/** The allocations of one UTC day, by everything that is kept of them. Idle and shared cost stay out of the shares. */
export const allocationUrl = (base: URL, form: ApiForm, day: Day): URL =>
  at(base, '/allocation', [
    windowOf(day),
    'aggregate=cluster,namespace,controllerKind,controller',
    'accumulate=true',
    ...(form === 'kubecost' ? ['idle=false', 'shareTenancyCosts=false', 'external=false'] : []),
  ]);

/** The assets of one UTC day. */
export const assetsUrl = (base: URL, day: Day): URL => at(base, '/assets', [windowOf(day)]);

/** A URL below the base, which may carry a query of its own. */
const at = (base: URL, path: string, query: readonly string[] = []): URL => {
  const url = new URL(base);
  url.pathname = url.pathname.replace(/\/+$/, '') + path;
  url.search = [...(url.search === '' ? [] : [url.search.slice(1)]), ...query].join('&');
  return url;
};
