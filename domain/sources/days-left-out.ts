import { dayAt, dayNumber } from '../shared/calendar.ts';
import type { DayRange } from '../shared/day-ranges.ts';
import { firstNot, foundUnder, looksUnder, type ExportRun } from './exports/export-runs.ts';

/** The numbers of the first and the last day of a range. */
interface Span {
  from: number;
  to: number;
}

/** Returns the replaced runs with days whose spend no current run has, with those days in order. */
export function daysLeftOut(
  replaced: readonly ExportRun[],
  current: readonly ExportRun[],
): { run: ExportRun; days: DayRange[] }[] {
  const covered = coveredDays(current);
  return replaced.flatMap((run) => {
    let left = [spanOf(run)];
    for (const name of looksUnder(run)) left = left.flatMap((span) => without(span, covered.get(name) ?? []));
    const days = left.map(({ from, to }) => ({ from: dayAt(from), to: dayAt(to) }));
    return days.length === 0 ? [] : [{ run, days }];
  });
}

const spanOf = ({ from, to }: ExportRun): Span => ({ from: dayNumber(from), to: dayNumber(to) });

/** Returns the days of runs by the names under which they are found. The spans of a name are in order and do not touch. */
function coveredDays(runs: readonly ExportRun[]): Map<string, Span[]> {
  const covered = new Map<string, Span[]>();
  const inOrder = runs.map((run) => ({ run, span: spanOf(run) })).sort((a, b) => a.span.from - b.span.from);
  for (const { run, span } of inOrder)
    for (const name of foundUnder(run)) {
      const spans = covered.get(name) ?? [];
      const last = spans.at(-1);
      if (last !== undefined && span.from <= last.to + 1) last.to = Math.max(last.to, span.to);
      else spans.push({ ...span });
      covered.set(name, spans);
    }
  return covered;
}

/** Returns the parts of a span that others do not cover. The others must be in order. */
function without({ from, to }: Span, others: readonly Span[]): Span[] {
  const left: Span[] = [];
  let next = from;
  for (let at = firstNot(others, (other) => other.to < from); next <= to; at += 1) {
    const other = others[at];
    if (other === undefined || other.from > to) break;
    if (other.from > next) left.push({ from: next, to: other.from - 1 });
    next = other.to + 1;
  }
  return next <= to ? [...left, { from: next, to }] : left;
}
