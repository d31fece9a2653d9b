import { dayOf, type Day } from '../../shared/calendar.ts';

const DAY_MS = 86_400_000;

/**
 * Returns the UTC day on which an export was written, by the times that are known of it: the file's and its manifest's. The export
 * does not have all of this day, nor of later ones. A copy is newer than its content, so that the oldest time counts.
 *
 * @param times milliseconds since 1970; null if a time is not known.
 * @param now the service's time. No file was written later.
 * @param machine the machine's time. If the service is ahead of it by `CLOCK`, times of files mean nothing.
 * @returns null if no time is known.
 */
export function dayWritten(times: readonly (number | null)[], now: Date, machine: Date): Day | null {
  if (now.getTime() > machine.getTime() + DAY_MS) return null;
  const known = times.filter((time) => time !== null);
  return known.length === 0 ? null : dayOf(new Date(Math.min(now.getTime(), ...known)));
}
