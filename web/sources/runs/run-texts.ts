import type { Run } from '../sources-queries.ts';

/** The months of a run as words, for example `2026-01 to 2026-03`. */
export function monthsText(months: readonly string[]): string {
  const [first] = months;
  const last = months.at(-1);
  if (first === undefined || last === undefined) return 'no months';
  return first === last ? first : `${first} to ${last}`;
}

/** How long a run took, in words. */
export function tookText({ started_at, finished_at }: Pick<Run, 'started_at' | 'finished_at'>): string {
  if (finished_at === null) return 'under way';
  const seconds = Math.round((Date.parse(finished_at) - Date.parse(started_at)) / 1_000);
  if (seconds < 1) return 'under 1 s';
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}
