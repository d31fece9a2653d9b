import { describe, expect, it } from 'vitest';
import { addDays } from '../../../../domain/shared/calendar.ts';
import { daysLeftOut } from '../../../../domain/sources/days-left-out.ts';
import { runsThatCount, type ExportRun } from '../../../../domain/sources/exports/export-runs.ts';
import { naiveDaysLeftOut, naiveRunsThatCount, naiveUndecided } from '../naive-export-runs.ts';

/** A run of June's days `from` to `to`. Without `submitted` it has no manifest. */
const run = (
  folder: string,
  from: number,
  to: number,
  submitted: number | null,
  more: Partial<ExportRun> = {},
) => ({
  folder,
  scope: '/subscriptions/1',
  costSet: null,
  root: '/exports/',
  rangeFolder: `/exports/${folder}/`,
  from: `2026-06-${String(from).padStart(2, '0')}`,
  to: `2026-06-${String(to).padStart(2, '0')}`,
  submitted,
  ...more,
});
const names = (runs: readonly ExportRun[]) => runs.map(({ folder }) => folder).sort();
const counted = (...runs: ExportRun[]) => names(runsThatCount(runs).current);

describe('several runs of an export', () => {
  it('count all if their days differ', () => {
    expect(counted(run('a', 1, 9, 1), run('b', 10, 20, 2))).toEqual(['a', 'b']);
  });

  it('count only the newest of a range', () => {
    expect(counted(run('a', 1, 30, 1), run('b', 1, 30, 3), run('c', 1, 30, 2))).toEqual(['b']);
  });

  it('count each set of costs on its own', () => {
    const [actual, amortised] = [
      run('a', 1, 30, 1, { costSet: 'actual' }),
      run('b', 1, 30, 3, { costSet: 'amortised' }),
    ];
    expect(counted(actual, amortised, run('c', 1, 30, 2, { costSet: 'amortised' }))).toEqual(['a', 'b']);
  });

  it('lose a run whose range another one contains, newer or older', () => {
    // A one-time export of 1 to 9 June beside the daily one.
    expect(counted(run('once', 1, 9, 1), run('daily', 1, 20, 2))).toEqual(['daily']);
    expect(counted(run('once', 1, 9, 3), run('daily', 1, 20, 2))).toEqual(['daily']);
    expect(counted(run('day', 5, 5, 3), run('daily', 1, 20, 2))).toEqual(['daily']);
  });

  it('count the newest of partly overlapping ranges, and the runs that only the others had replaced', () => {
    const [small, middle, late] = [run('small', 1, 9, 1), run('middle', 1, 20, 2), run('late', 10, 30, 3)];
    expect(counted(small, middle, late)).toEqual(['late', 'small']);
    const { replaced, current } = runsThatCount([middle, late]);
    expect(names(replaced)).toEqual(['middle']);
    const days = [{ from: '2026-06-01', to: '2026-06-09' }];
    expect(daysLeftOut([middle], current)).toEqual([{ run: middle, days }]);
    expect(daysLeftOut([middle], [small, late])).toEqual([]);
  });

  it('lose a run that others together contain: a one-time export across the end of a month, newer or older', () => {
    const [first, second] = [run('first', 1, 15, 1), run('second', 16, 30, 2)];
    for (const submitted of [0, 3]) {
      expect(counted(first, second, run('once', 15, 16, submitted))).toEqual(['first', 'second']);
      expect(
        counted(first, run('day', 16, 16, 2), run('rest', 17, 30, 2), run('once', 15, 17, submitted)),
      ).toEqual(['day', 'first', 'rest']);
    }
    // Runs do not replace a run that contains them, nor with a gap between them or another scope.
    expect(counted(first, second, run('whole', 1, 30, 0))).toEqual(['whole']);
    expect(counted(first, run('later', 18, 30, 2), run('once', 15, 18, 3))).toEqual(['once']);
    expect(
      counted(first, run('other', 16, 30, 2, { scope: '/subscriptions/2' }), run('once', 15, 16, 3)),
    ).toEqual(['once', 'other']);
    // b lies within a and c, and c within b and d. b is replaced first; then d replaces c, which it overlaps.
    const chain = [run('a', 1, 10, 1), run('b', 5, 15, 2), run('c', 11, 20, 3), run('d', 16, 25, 4)];
    expect(counted(...chain)).toEqual(['a', 'd']);
  });

  it('count for each scope; without a scope the folder above the exports decides', () => {
    const june = (folder: string, more: Partial<ExportRun>) => run(folder, 1, 30, 1, more);
    expect(counted(june('a', {}), june('b', { scope: '/subscriptions/2' }))).toEqual(['a', 'b']);
    expect(counted(june('a', {}), june('b', { scope: null }))).toEqual(['b']);
    expect(counted(june('a', {}), june('b', { scope: null, root: '/elsewhere/' }))).toEqual(['a', 'b']);
  });

  it('count as by the words of the rule for any ranges, and no day twice', () => {
    for (let seed = 1; seed <= 300; seed += 1) {
      const random = (below: number, salt: number) =>
        Math.abs(Math.floor(Math.sin(seed * 99 + salt) * 1e6)) % below;
      const runs = Array.from({ length: 4 + (seed % 5) }, (_, index) => {
        const from = 1 + random(25, index);
        const scope = [null, '/subscriptions/1', '/subscriptions/2'][
          random(seed % 2 === 0 ? 3 : 1, index + 30)
        ];
        const root = `/exports/${random(seed % 3 === 0 ? 2 : 1, index + 40)}/`;
        const to = from + random(6, index + 10);
        return run(`run ${index}`, from, to, random(4, index + 20), { scope: scope ?? null, root });
      });
      const { current, replaced, undecided } = runsThatCount(runs);
      expect({ seed, current: names(current) }).toEqual({ seed, current: names(naiveRunsThatCount(runs)) });
      const days = current.flatMap((one) =>
        naiveDaysLeftOut(one, []).map((day) => `${one.scope ?? one.root} ${day}`),
      );
      expect({ seed, twice: days.length - new Set(days).size }).toEqual({ seed, twice: 0 });
      expect(names([...current, ...replaced])).toEqual(names(runs));
      expect(undecided).toEqual([]);
      const leftOut = replaced
        .map((one) => naiveDaysLeftOut(one, current))
        .filter(({ length }) => length > 0);
      expect(daysLeftOut(replaced, current).map(({ days: ranges }) => ranges.flatMap(daysOf))).toEqual(
        leftOut,
      );

      const half = runs.map((one, index) => (index % 2 === 0 ? one : { ...one, submitted: null }));
      expect(names(runsThatCount(half).undecided)).toEqual(names(naiveUndecided(half)));
    }
  });

  it('are decided quickly if there are thousands', () => {
    const days = (index: number, length: number) => ({
      from: addDays('1990-01-01', index),
      to: addDays('1990-01-01', index + length - 1),
    });
    const daily = Array.from({ length: 5_000 }, (_, index) =>
      run(`${index}`, 1, 1, index, days(2 * index, 1)),
    );
    expect(runsThatCount(daily).current).toHaveLength(5_000);
    const again = Array.from({ length: 3_000 }, (_, index) => run(`${index}`, 1, 30, index));
    expect(names(runsThatCount(again).current)).toEqual(['2999']);
    expect(daysLeftOut(daily, again)).toHaveLength(5_000);
  });
});

function daysOf({ from, to }: { from: string; to: string }): string[] {
  const days = [];
  for (let day = from; day <= to; day = addDays(day, 1)) days.push(day);
  return days;
}

describe('runs without a manifest', () => {
  it('are undecided if they share days with another run', () => {
    const [silent, other] = [run('a', 1, 30, null), run('b', 1, 9, null)];
    expect(names(runsThatCount([silent, other]).undecided)).toEqual(['a', 'b']);
    expect(names(runsThatCount([silent, run('c', 5, 9, 1)]).undecided)).toEqual(['a', 'c']);
    expect(runsThatCount([other, run('c', 10, 30, 1)])).toMatchObject({ undecided: [], replaced: [] });
  });

  it('are unfinished beside a run of the same export and range with a manifest', () => {
    const folders = { rangeFolder: '/exports/daily/20260601-20260630/' };
    const { current, unfinished, undecided } = runsThatCount([
      run('a', 1, 9, 1, folders),
      run('b', 1, 30, null, folders),
    ]);
    expect([names(current), names(unfinished), undecided]).toEqual([['a'], ['b'], []]);
  });
});
