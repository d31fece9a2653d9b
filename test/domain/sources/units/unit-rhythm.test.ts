import { describe, expect, it } from 'vitest';
import { addDays, dayAt, dayNumber, type Day } from '../../../../domain/shared/calendar.ts';
import type { UnitKind } from '../../../../domain/sources/spend-sources.ts';
import { absencesOf } from '../../../../domain/sources/units/unit-rhythm.ts';

/** 1 January 2026 is a Thursday. */
describe('the rhythm of a unit', () => {
  const range = (from: Day, count: number): Day[] =>
    Array.from({ length: count }, (_, day) => addDays(from, day));

  /** Returns the ranges of absent days, of 37 known days from 1 January to 6 February unless others are given. */
  const absences = (
    kind: UnitKind,
    present: readonly Day[],
    known = range('2026-01-01', 37),
    spent = present,
  ) => {
    const [days, costs] = [new Set(present.map(dayNumber)), new Set(spent.map(dayNumber))];
    const unit = {
      kind,
      isPresent: (day: number) => days.has(day),
      hasSpend: (day: number) => costs.has(day),
      isReplacedOn: () => false,
    };
    return absencesOf(unit, known.map(dayNumber)).map(({ days: absent }) => [
      dayAt(absent[0] ?? 0),
      dayAt(absent.at(-1) ?? 0),
      absent.length,
    ]);
  };

  const without = (...gone: Day[]): Day[] => range('2026-01-01', 37).filter((day) => !gone.includes(day));

  it('of an account needs seven known days', () => {
    expect(absences('account', range('2026-01-01', 6))).toEqual([]);
    expect(absences('account', range('2026-01-01', 7))).toEqual([['2026-01-08', '2026-02-06', 30]]);
  });

  it('of an account is learned from the days after a hole, if it had begun shortly before', () => {
    expect(absences('account', without(...range('2026-01-04', 5)))).toEqual([
      ['2026-01-04', '2026-01-08', 5],
    ]);
  });

  it('of an account has holes that are longer than any rest in its last four weeks', () => {
    // One day off in two weeks, then one more, then two.
    const rests = without('2026-01-10', '2026-01-21', '2026-02-02', '2026-02-03');
    expect(absences('account', rests)).toEqual([
      ['2026-01-10', '2026-01-10', 1],
      ['2026-01-21', '2026-01-21', 1],
      ['2026-02-02', '2026-02-03', 2],
    ]);
    const early = without('2026-01-03', '2026-01-21', '2026-02-02', '2026-02-03');
    expect(absences('account', early).slice(-1)).toEqual([['2026-02-02', '2026-02-03', 2]]);
  });

  it('of an account is none if it has spend on fewer than nine of ten days', () => {
    const rare = range('2026-01-01', 37).filter((_, index) => index % 5 !== 2);
    expect(absences('account', rare.slice(0, 20))).toEqual([]);
  });

  it('of an account is one if it has spend on nine of ten days', () => {
    // Eighteen of twenty days.
    const days = range('2026-01-01', 20).filter((day) => !['2026-01-06', '2026-01-14'].includes(day));
    expect(absences('account', days)).toEqual([['2026-01-21', '2026-02-06', 17]]);
  });

  it('counts only known days: a source that has not delivered lacks no unit', () => {
    const known = [...range('2026-01-01', 12), ...range('2026-01-20', 12)];
    expect(absences('account', known, known)).toEqual([]);
    expect(absences('account', known.slice(0, 12), known)).toEqual([['2026-01-20', '2026-01-31', 12]]);
  });

  it('of a later absence follows from the days before an earlier one', () => {
    const twice = [...range('2026-01-01', 10), ...range('2026-01-21', 3)];
    expect(absences('account', twice)).toEqual([
      ['2026-01-11', '2026-01-20', 10],
      ['2026-01-24', '2026-02-06', 14],
    ]);
  });

  it('learns days of the week without spend, whichever they are', () => {
    // Friday and Saturday are days off.
    const sundayToThursday = range('2026-01-01', 37).filter(
      (day) => ![5, 6].includes(new Date(day).getUTCDay()),
    );
    for (const kind of ['account', 'tool', 'cluster', 'host'] as const)
      expect(absences(kind, sundayToThursday.slice(0, -1))).toEqual([]);
    // Gone since Sunday 18 January, at once for fifteen working days.
    expect(
      absences(
        'account',
        sundayToThursday.filter((day) => day < '2026-01-18'),
      ),
    ).toEqual([['2026-01-18', '2026-02-05', 15]]);
  });

  it('of a cluster needs two days in a row, or three in four weeks', () => {
    expect(absences('cluster', ['2026-01-01'])).toEqual([]);
    expect(absences('cluster', ['2026-01-01', '2026-01-31'])).toEqual([]);
    expect(absences('cluster', ['2026-01-01', '2026-01-02'])).toEqual([['2026-01-03', '2026-02-06', 35]]);
    expect(absences('cluster', ['2026-01-01', '2026-01-03', '2026-01-06']).length).toBeGreaterThan(0);
  });

  it('of a cluster is not shown by days at no cost, which are present all the same', () => {
    const present = ['2026-01-01', '2026-01-02', '2026-01-31'];
    expect(absences('cluster', present, range('2026-01-01', 31), ['2026-01-31'])).toEqual([]);
    const whole = range('2026-01-01', 31);
    expect(absences('cluster', whole, whole, ['2026-01-01', '2026-01-02'])).toEqual([]);
  });

  it('of a cluster or host is none if spend comes weekly', () => {
    const weekly = [0, 7, 14, 21, 28].map((day) => addDays('2026-01-02', day));
    for (const kind of ['cluster', 'host'] as const) expect(absences(kind, weekly)).toEqual([]);
  });

  it('of a cluster lets its first weekend pass, but no other days', () => {
    // Thursday, Friday; then from Monday on.
    expect(absences('cluster', without('2026-01-03', '2026-01-04'), range('2026-01-01', 7))).toEqual([]);
    expect(absences('cluster', without('2026-01-05', '2026-01-06'), range('2026-01-01', 9))).toEqual([
      ['2026-01-05', '2026-01-06', 2],
    ]);
  });

  it('of a host ends without a doubt within its first seven days', () => {
    expect(absences('host', range('2026-01-01', 6))).toEqual([]);
    expect(absences('host', range('2026-01-01', 7))).toEqual([['2026-01-08', '2026-02-06', 30]]);
    // A hole is no end.
    expect(absences('host', [...range('2026-01-01', 3), ...range('2026-01-10', 28)])).toEqual([
      ['2026-01-04', '2026-01-09', 6],
    ]);
  });

  it('of a tool allows two days without use', () => {
    expect(absences('tool', without('2026-01-20', '2026-01-21'))).toEqual([]);
    expect(absences('tool', without('2026-01-20', '2026-01-21', '2026-01-22'))).toEqual([
      ['2026-01-20', '2026-01-22', 3],
    ]);
  });

  it('does not begin before the first day', () => {
    for (const kind of ['account', 'tool', 'cluster', 'host'] as const)
      expect(absences(kind, range('2026-01-20', 18))).toEqual([]);
  });
});
