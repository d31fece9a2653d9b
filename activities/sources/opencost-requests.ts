import { addDays, type Day } from '../../domain/shared/calendar.ts';

/** The form of the API that a host has. Kubecost's is under `/model`, and takes options that exclude costs. */
export type ApiForm = 'opencost' | 'kubecost';

/** Returns the form that a base URL implies. */
export const formOfBase = (base: URL): ApiForm =>
  /\/model\/*$/.test(base.pathname) ? 'kubecost' : 'opencost';

/** Returns the base URL of Kubecost's form on the same host. */
export const kubecostBase = (base: URL): URL => urlBelow(base, '/model');

// Both ends are given in UTC, because relative windows, such as `today`, would use the server's time zone.
const windowOf = (day: Day): string => `window=${day}T00:00:00Z,${addDays(day, 1)}T00:00:00Z`;

/**
 * Returns the URL for the allocations of a UTC day, aggregated by all properties that are stored. Kubecost is asked to leave out
 * idle cost, shares of tenancy costs and external cost.
 */
export const allocationUrl = (base: URL, form: ApiForm, day: Day): URL =>
  urlBelow(base, '/allocation', [
    windowOf(day),
    'aggregate=cluster,namespace,controllerKind,controller',
    'accumulate=true',
    ...(form === 'kubecost' ? ['idle=false', 'shareTenancyCosts=false', 'external=false'] : []),
  ]);

/** Returns the URL for the assets of a UTC day. */
export const assetsUrl = (base: URL, day: Day): URL => urlBelow(base, '/assets', [windowOf(day)]);

/** Returns a URL below the base, and keeps the base's own query. */
function urlBelow(base: URL, path: string, query: readonly string[] = []): URL {
  const url = new URL(base);
  url.pathname = url.pathname.replace(/\/+$/, '') + path;
  url.search = [...(url.search === '' ? [] : [url.search.slice(1)]), ...query].join('&');
  return url;
}
