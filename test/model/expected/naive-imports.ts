import type { Day, Month } from '../../../domain/shared/calendar.ts';
import type { ImportStep, StoryValue } from '../organisation-story.ts';
import { plainValues } from './naive-labels.ts';
import { lastDayOf } from './naive-sources.ts';

// The import of a metric (docs/concepts.md, Daily imports).
//
// 1. A run reads the days from a first one to the day on which it begins. That day is not over. The first run of a key reads
//    twelve months, later ones the month of the last run that completed, or the month before today's if that is earlier.
// 2. The days of a run have its rows, and lose older values, unless it has no rows at all. What people recorded stays in the
//    months before the first row. With labels, all values of imports go. Without, a value stays if a run with this key has
//    completed and read its day. But what people recorded before the first value of an import is no run's.
// 3. A day is complete if a run with today's key has completed, and has read it to its end.
// 4. After a disconnection a month's values are in doubt if no run has read the month to its end, and one of these is true. Its end
//    lacks more days than is usual in it and in the month before, and nobody has recorded a value of a later day since. Or its last
//    value of the import is of a day that no run has read to its end.

/** A value, with the number of the key that has read it; null if a person recorded it. */
export type NaiveValue = StoryValue & { key: number | null };

interface Run {
  key: number;
  /** The first and the last day that it reads. It began on the last one. */
  start: Day;
  end: Day;
  status: 'running' | 'completed' | 'failed';
  hasRows: boolean;
}

/** Before all days of the stories. */
const LONG_AGO: Day = '2024-01-01';

export class NaiveImport {
  /** The number of the key; null if the metric is not connected. */
  key: number | null = null;
  #keys = 0;
  #ended: { key: number; on: Day } | null = null;
  readonly #runs: Run[] = [];
  #underWay: Run | null = null;

  connect(today: Day): void {
    this.#keys += 1;
    this.key = this.#keys;
    this.#ended = null;
    this.#underWay = null;
    this.begin(LONG_AGO, today);
  }

  disconnect(today: Day): void {
    if (this.key !== null) this.#ended = { key: this.key, on: today };
    this.key = null;
    this.#underWay = null;
  }

  /** Begins a run with the days from `start` on, unless one is under way; null leaves the start to the run. */
  begin(start: Day | null, today: Day): void {
    if (this.key === null || this.#underWay !== null) return;
    const before = `${monthBefore(today.slice(0, 7))}-01`;
    const read = this.#completed().at(-1);
    const missed = read === undefined ? LONG_AGO : `${read.end.slice(0, 7)}-01`;
    const first = start ?? (missed < before ? missed : before);
    this.#underWay = { key: this.key, start: first, end: today, status: 'running', hasRows: false };
    this.#runs.push(this.#underWay);
  }

  /** Ends the run under way. Returns the changes of values; a value of null is removed. */
  end(
    { ends, values: given }: Extract<ImportStep, { does: 'end run' }>,
    { isLabelled, values: before }: { isLabelled: boolean; values: readonly NaiveValue[] },
  ): (StoryValue | (Omit<StoryValue, 'value'> & { value: null }))[] {
    const run = this.#underWay;
    this.#underWay = null;
    if (run === null) return [];
    const isRead = ({ period }: StoryValue): boolean => period >= run.start && period <= run.end;
    const rows = plainValues(given.filter(isRead));
    if (ends === 'failed' || rows === null) {
      run.status = 'failed';
      return [];
    }
    const first = rows.map(({ period }) => `${period.slice(0, 7)}-01`).sort()[0];
    const [imported] = before
      .flatMap(({ period, key }) => (key === null ? [] : [`${period.slice(0, 7)}-01`]))
      .sort();
    const stays = ({ period, key }: NaiveValue): boolean => {
      if (key === null && period < (first ?? '9')) return true;
      if (isLabelled || (key === null && !(imported !== undefined && imported <= period))) return false;
      const known = this.#completed().filter(({ hasRows }) => hasRows);
      return known.some(({ start, end }) => start <= period && period <= end);
    };
    const removed = before.filter((value) => isRead(value) && !stays(value) && !rows.some(isSame(value)));
    if (ends === 'completed') Object.assign(run, { status: 'completed', hasRows: rows.length > 0 });
    return rows.length === 0 ? [] : [...rows, ...removed.map((value) => ({ ...value, value: null }))];
  }

  /** The runs with today's key that have completed, in the order in which they began. */
  #completed(): Run[] {
    return this.#runs.filter(({ key, status }) => key === this.key && status === 'completed');
  }

  /** Returns whether a day's values are complete: nobody imports them, or a run has read the day to its end. */
  hasRead(day: Day): boolean {
    return this.key === null || this.#completed().some(({ start, end }) => start <= day && day < end);
  }

  /** Returns whether a run has read a day, at least in part. */
  hasReadInto(day: Day): boolean {
    return this.key === null || this.#completed().some(({ start, end }) => start <= day && day <= end);
  }

  hasReadMonth(month: Month): boolean {
    return this.hasRead(lastDayOf(month));
  }

  /** Returns whether the values of a month end with an import that was disconnected. */
  endsWith(month: Month, values: readonly NaiveValue[]): boolean {
    const ended = this.#ended;
    if (ended === null || !this.#runs.some(({ status }) => status === 'completed')) return false;
    const through = lastDayOf(month);
    const own = this.#runs.filter(({ key, status }) => key === ended.key && status === 'completed');
    if (own.some(({ start, end }) => start <= through && through < end)) return false;
    const imported = values
      .flatMap(({ key, period }) => (key !== null && period.startsWith(month) ? [period] : []))
      .sort()
      .at(-1);
    const reads = (isWithin: (run: Run, day: Day) => boolean): boolean =>
      imported !== undefined && own.some((run) => run.start <= imported && isWithin(run, imported));
    if (reads(({ end }, day) => day <= end) && !reads(({ end }, day) => day < end)) return true;
    const days = [...new Set(values.map(({ period }) => period))].sort();
    const among = (of: Month) =>
      days.flatMap((day, index) =>
        day.startsWith(of)
          ? [{ day, gap: index === 0 ? null : distance(days[index - 1] ?? '', day) - 1 }]
          : [],
      );
    const [now, before] = [among(month), among(monthBefore(month))];
    const last = now.at(-1);
    const gaps = now.flatMap(({ gap }) => gap ?? []);
    if (last === undefined || gaps.length === 0 || now.length + before.length < 3) return false;
    const usual = Math.max(...gaps, ...before.flatMap(({ gap }) => gap ?? []));
    return last.day <= ended.on && distance(last.day, through) > usual;
  }

  /** Returns whether no run has ended the values of a day: they are complete only up to the newest run. */
  isBehind(day: Day): boolean {
    return this.key !== null && !this.#completed().some(({ end }) => day < end);
  }

  /** Returns whether the newest run with today's key began after a month, whatever came of it. */
  hasTriedAfter(month: Month): boolean {
    const newest = this.#runs.findLast(({ key }) => key === this.key);
    return newest !== undefined && newest.end > lastDayOf(month);
  }
}

const distance = (from: Day, to: Day): number => (Date.parse(to) - Date.parse(from)) / 86_400_000;

const isSame =
  (one: StoryValue) =>
  ({ period, label }: StoryValue): boolean =>
    period === one.period && label === one.label;

const monthBefore = (month: Month): Month =>
  new Date(Date.parse(`${month}-01`) - 86_400_000).toISOString().slice(0, 7);
