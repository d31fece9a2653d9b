import type { Day, Month } from '../../../domain/shared/calendar.ts';
import { decimalUnits } from './naive-decimals.ts';

// Days and units that a settled month would lose, so that the service refuses to read them (docs/concepts.md).

/** A charge of an account, cluster, host or tool. Only bills have a cloud. */
export interface Charge {
  day: Day;
  cloud: string | null;
  unit: string;
  cost: string;
}

const FIFTEEN = 15;
const ONE = 10n ** 15n;

const sumOf = (charges: readonly Charge[]): bigint =>
  charges.reduce((sum, { cost }) => sum + decimalUnits(cost, FIFTEEN), 0n);
const positive = (units: bigint): bigint => (units > 0n ? units : 0n);

/** Returns the days that a bill no longer has. */
export const lostDays = (before: readonly Charge[], after: readonly Charge[]): Day[] =>
  before.map(({ day }) => day).filter((day) => after.every((charge) => charge.day !== day));

/**
 * Returns whether a month loses a unit between two states of it: the unit has no charge any more, or less than half of its money
 * and a hundredth of the month's. A loss below 1 is none. Nor is one of which others of the same cloud gain more than half, on the
 * days before.
 */
export function losesUnit(before: readonly Charge[], after: readonly Charge[], month: Month): boolean {
  const [earlier, later] = [before, after].map((all) => all.filter(({ day }) => day.startsWith(month)));
  if (earlier === undefined || later === undefined) return false;
  const keyOf = ({ cloud, unit }: Charge): string => `${cloud} ${unit}`;
  const units = [...new Map([...earlier, ...later].map((one) => [keyOf(one), one])).values()].map((unit) => {
    const ofUnit = (charges: readonly Charge[]) => charges.filter((one) => keyOf(one) === keyOf(unit));
    const had = sumOf(ofUnit(earlier));
    const onSameDays = ofUnit(later).filter(({ day }) => earlier.some((charge) => charge.day === day));
    const isGone = ofUnit(later).length === 0;
    return {
      cloud: unit.cloud,
      had,
      loss: had - sumOf(ofUnit(later)),
      gain: sumOf(onSameDays) - had,
      isGone,
    };
  });
  const ofMonth = units.reduce((sum, { had }) => sum + positive(had), 0n);
  return [...new Set(units.map(({ cloud }) => cloud))].some((cloud) => {
    const same = units.filter((one) => one.cloud === cloud);
    const lost = same.filter(
      ({ had, loss, isGone }) =>
        had > 0n && loss >= ONE && (isGone || (2n * (had - loss) < had && loss * 100n >= ofMonth)),
    );
    const gained = same.reduce((sum, { gain }) => sum + positive(gain), 0n);
    const missing = lost.reduce((sum, { loss }) => sum + loss, 0n) - gained;
    return lost.some(({ loss }) => missing * 2n >= loss);
  });
}
