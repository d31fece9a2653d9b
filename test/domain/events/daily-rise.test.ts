import Big from 'big.js';
import { describe, expect, it } from 'vitest';
import { addDays, type Day } from '../../../domain/shared/calendar.ts';
import {
  DEFAULT_RISE_RULE,
  RECORDED_DAYS,
  risesBegun,
  type RiseRule,
} from '../../../domain/events/daily-rise.ts';

const TODAY = '2026-02-07';

/** Returns the rises in a row of unit costs that ends yesterday, as [day, unit cost, expected]. */
function rises(costs: readonly number[], rule: RiseRule = DEFAULT_RISE_RULE, today = TODAY) {
  const last = addDays(TODAY, -1);
  const days = costs.map((cost, index) => ({
    day: addDays(last, index - costs.length + 1),
    unitCost: Big(cost),
  }));
  return risesBegun(days, rule, today).map(({ day, unitCost, expected }) => [
    day,
    Number(unitCost),
    Number(expected),
  ]);
}

const flat = (count: number, cost = 10): number[] => Array.from({ length: count }, () => cost);
/** 8, 9, 10, 11, 12 again and again: median 10, median absolute deviation 1. */
const wavy = (count: number): number[] => Array.from({ length: count }, (_, index) => 8 + (index % 5));

describe('a daily rise', () => {
  it('needs 20 % above the median if the history does not vary', () => {
    expect(rises([...flat(28), 11.99])).toEqual([]);
    expect(rises([...flat(28), 12])).toEqual([['2026-02-06', 12, 10]]);
  });

  it('needs 4 deviations too if the history varies', () => {
    expect(rises([...wavy(28), 13.9])).toEqual([]);
    expect(rises([...wavy(28), 14])).toEqual([['2026-02-06', 14, 10]]);
  });

  it('needs 14 recorded days before it', () => {
    expect(rises([...flat(13), 50])).toEqual([]);
    expect(rises([...flat(14), 50])).toEqual([['2026-02-06', 50, 10]]);
  });

  it('is compared with the 28 days before it, and no others', () => {
    // With the dear days before, the median would be 100.
    expect(rises([...flat(40, 100), ...flat(28), 12])).toEqual([['2026-02-06', 12, 10]]);
  });

  it('is not hidden by single outliers', () => {
    const history = flat(28);
    for (const index of [3, 9, 15]) history[index] = 1000;
    expect(rises([...history, 12])).toEqual([['2026-02-06', 12, 10]]);
  });

  it('is reported on its first day, and again only after it has ended', () => {
    expect(rises([...flat(28), 20, 21, 22])).toEqual([['2026-02-04', 20, 10]]);
    expect(rises([...flat(28), 20, 10, 21])).toEqual([
      ['2026-02-04', 20, 10],
      ['2026-02-06', 21, 10],
    ]);
  });

  describe('across weekends', () => {
    /** Returns the reported days, if each morning from 5 January to 10 February looks at the days before it. */
    const reportedEachMorning = (unitCostOf: (weekend: boolean, risen: boolean) => number): Day[] => {
      const reported = new Set<Day>();
      for (let morning = '2026-01-05'; morning <= '2026-02-10'; morning = addDays(morning, 1)) {
        const days = Array.from({ length: RECORDED_DAYS }, (_, index) => {
          const day = addDays(morning, index - RECORDED_DAYS);
          const isWeekend = [0, 6].includes(new Date(day).getUTCDay());
          return { day, unitCost: Big(unitCostOf(isWeekend, day >= '2026-01-08')) };
        });
        for (const { day } of risesBegun(days, DEFAULT_RISE_RULE, morning)) reported.add(day);
      }
      return [...reported];
    };

    it('is reported on Thursday only, if weekends are a little cheaper', () => {
      // Saturday: 10.4 is 4 % above the median of 10 of all days, yet 30 % above the Saturdays of 8. The run lasts to Monday.
      expect(reportedEachMorning((weekend, risen) => (weekend ? 8 : 10) * (risen ? 1.3 : 1))).toEqual([
        '2026-01-08',
      ]);
    });

    it('is reported on Thursday only, if weekends cost half as much', () => {
      // Saturday: 7.5 is below the median of 10, and 50 % above the Saturdays of 5.
      expect(reportedEachMorning((weekend, risen) => (weekend ? 5 : 10) * (risen ? 1.5 : 1))).toEqual([
        '2026-01-08',
      ]);
    });

    it('is reported on Thursday only, if weekends are dear and do not rise', () => {
      // Saturday: 20 as on all Saturdays, and twice the median of 10. It does not end the run of Thursday and Friday.
      expect(reportedEachMorning((weekend, risen) => (weekend ? 20 : risen ? 15 : 10))).toEqual([
        '2026-01-08',
      ]);
    });

    it('is reported again on Monday, if weekends are cheap and do not rise', () => {
      // Saturday: 5 is above nothing, so that 12 January is a new rise. On the 19th the Monday before has risen.
      expect(reportedEachMorning((weekend, risen) => (weekend ? 5 : risen ? 15 : 10))).toEqual([
        '2026-01-08',
        '2026-01-12',
      ]);
    });

    it('is reported on Monday, if it begins after a dear weekend', () => {
      // The weekend stands above the median of 10 as always. It is not a rise, so that no rise lasts to Monday.
      const days = Array.from({ length: 42 }, (_, index) => addDays('2026-02-02', index - 41)).map((day) => ({
        day,
        unitCost: Big([0, 6].includes(new Date(day).getUTCDay()) ? 20 : day === '2026-02-02' ? 15 : 10),
      }));
      expect(risesBegun(days, DEFAULT_RISE_RULE, '2026-02-03').map(({ day }) => day)).toEqual(['2026-02-02']);
    });
  });

  it('is found on each of the seven newest days, and on no earlier one', () => {
    expect(rises([...flat(28), 20, ...flat(6)])).toEqual([['2026-01-31', 20, 10]]);
    expect(rises([...flat(28), 20, ...flat(7)])).toEqual([]);
    // A rise that began before the seven days is not found again.
    expect(rises([...flat(28), ...flat(8, 20)])).toEqual([]);
  });

  it('is not reported if it is more than 35 days old', () => {
    expect(rises([...flat(28), 20], DEFAULT_RISE_RULE, addDays('2026-02-06', 35))).toHaveLength(1);
    expect(rises([...flat(28), 20], DEFAULT_RISE_RULE, addDays('2026-02-06', 36))).toEqual([]);
  });

  it('stands above the same weekdays too, so that a weekend that is always dear is no rise', () => {
    const days = (count: number) => Array.from({ length: count }, (_, index) => (index % 7 < 5 ? 10 : 30));
    // The median is 10, and the fifth and sixth of each seven days cost 30.
    expect(rises(days(34))).toEqual([]);
    expect(rises([...days(33), 45])).toEqual([['2026-02-06', 45, 10]]);
    expect(rises([...days(35), 15])).toEqual([['2026-02-06', 15, 10]]);
  });

  it('is compared with all days if the history lacks its weekday', () => {
    // Recorded on Mondays to Fridays only, then on a Sunday.
    const days = Array.from({ length: 41 }, (_, index) => addDays('2026-02-08', index - 40))
      .filter((day) => day === '2026-02-08' || ![0, 6].includes(new Date(day).getUTCDay()))
      .map((day) => ({ day, unitCost: Big(day === '2026-02-08' ? 20 : 10) }));
    expect(risesBegun(days, DEFAULT_RISE_RULE, '2026-02-09').map(({ day }) => day)).toEqual(['2026-02-08']);
  });

  it('is never a fall, an equal unit cost, or a step from 0 to 0', () => {
    expect(rises([...flat(28), 1])).toEqual([]);
    expect(rises([...flat(28, 0), 0])).toEqual([]);
    expect(rises([...flat(28, 10), 10], { percent: 0, deviations: 0 })).toEqual([]);
    expect(rises([...flat(28, 0), 1])).toEqual([['2026-02-06', 1, 0]]);
    // Credits: from -10 to -9 is 10 % up.
    expect(rises([...flat(28, -10), -9])).toEqual([]);
    expect(rises([...flat(28, -10), -8])).toEqual([['2026-02-06', -8, -10]]);
  });

  it('follows the rule of the metric', () => {
    expect(rises([...wavy(28), 13])).toEqual([]);
    expect(rises([...wavy(28), 13], { percent: 20, deviations: 3 })).toHaveLength(1);
    expect(rises([...wavy(28), 14], { percent: 50, deviations: 4 })).toEqual([]);
  });

  it('is not found without days, or with one day', () => {
    expect(rises([])).toEqual([]);
    expect(rises([5])).toEqual([]);
  });
});
