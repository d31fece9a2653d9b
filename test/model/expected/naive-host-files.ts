import type { Day, Month } from '../../../domain/shared/calendar.ts';
import { decimalUnits } from './naive-decimals.ts';
import type { HostShare } from '../organisation-story.ts';

// What host files raise doubts about, and what the service refuses to read from them.

/** The days of rejected rows that keep a month in doubt since a file was read; null for a row whose day nobody can read. */
export interface Finding {
  month: Month;
  on: Day;
  days: readonly (Day | null)[];
}

/** A host file of a month, read on a day, and the shares that the month had before. */
interface HostFile {
  month: Month;
  on: Day;
  shares: readonly HostShare[];
  rejected: readonly (Day | null)[];
  before: readonly HostShare[];
}

const newestOf = (findings: readonly Finding[], month: Month): readonly (Day | null)[] =>
  findings.findLast((finding) => finding.month === month)?.days ?? [];

/** Returns whether the last file about a month has left rejected rows that no later file has replaced. */
export const isDoubted = (findings: readonly Finding[], month: Month): boolean =>
  newestOf(findings, month).length > 0;

/**
 * Returns what is found in a file. A rejected row is replaced once a file has rows of its day. A row without a day may be of any
 * day of the file's month. So it stays as long as any day stays from before it.
 */
export const findingsOf = (
  { month, on, shares, rejected, before }: HostFile,
  earlier: readonly Finding[],
): Finding[] => {
  const daysStay = before.some(({ day }) => shares.every((share) => share.day !== day));
  const months = new Set([month, ...rejected.flatMap((day) => (day === null ? [] : [day.slice(0, 7)]))]);
  return [...months].map((one) => {
    const isOwn = one === month;
    const hasRead = (day: Day): boolean =>
      rejected.includes(day) || (isOwn && shares.some((share) => share.day === day));
    return {
      month: one,
      on,
      days: [
        ...newestOf(earlier, one).filter((day) => (day === null ? daysStay || !isOwn : !hasRead(day))),
        ...rejected.filter((day) => (day === null ? isOwn : day.startsWith(one))),
      ],
    };
  });
};

const FIFTEEN = 15;
const ONE = 10n ** 15n;

const sumOf = (shares: readonly HostShare[]): bigint =>
  shares.reduce((sum, { cost }) => sum + decimalUnits(cost, FIFTEEN), 0n);
const positive = (units: bigint): bigint => (units > 0n ? units : 0n);

/**
 * Returns whether a month loses a host between two states of it: the host has no share any more, or less than half of its money
 * and a hundredth of the month's. A loss below 1 does not count. Nor does a loss of which others gain more than half, on the days
 * before.
 */
export const losesHost = (before: readonly HostShare[], after: readonly HostShare[]): boolean => {
  const hosts = [...new Set([...before, ...after].map(({ host }) => host))].map((host) => {
    const had = before.filter((share) => share.host === host);
    const has = after.filter((share) => share.host === host);
    const onSameDays = has.filter(({ day }) => before.some((share) => share.day === day));
    const isGone = has.length === 0;
    return { had: sumOf(had), has: sumOf(has), gain: sumOf(onSameDays) - sumOf(had), isGone };
  });
  const month = hosts.reduce((sum, { had }) => sum + positive(had), 0n);
  const lost = hosts
    .filter(({ had, has, isGone }) => {
      const isMost = isGone || (has * 2n < had && (had - has) * 100n >= month);
      return had > 0n && had - has >= ONE && isMost;
    })
    .map(({ had, has }) => had - has);
  const gained = hosts.reduce((sum, { gain }) => sum + positive(gain), 0n);
  const missing = lost.reduce((sum, loss) => sum + loss, 0n) - gained;
  return lost.some((loss) => missing * 2n >= loss);
};
