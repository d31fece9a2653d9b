import type { Day, Month } from '../../../domain/shared/calendar.ts';
import { decimalUnits } from './naive-decimals.ts';
import { lackingDays, type LackingDay, type NaiveUnit } from './naive-units.ts';
import type { NaiveChoices } from './naive-choices.ts';
import { loadOf, type Load } from './naive-loads.ts';
import { isDoubted, type FoundRows } from './naive-rejected.ts';
import { chargedTwice, type NaiveTwice } from './naive-twice.ts';
import { endOf, leftOutIn, ofCountedDays, standsBeside, type Decision } from './naive-decisions.ts';
import { unitRows, type FeedRows, type Rows } from './naive-rows.ts';
import { unmatchedOn, withoutAssetsOn } from './naive-unmatched.ts';
import {
  KINDS,
  sourceKey,
  type Kind,
  type OnBill,
  type Organisation,
  type SourceName,
  type Step,
} from '../organisation-story.ts';

/** A published load, with the number of loads before it. */
interface NumberedLoad extends Load {
  number: number;
}

interface Source {
  name: string;
  kind: Kind;
  isPaused: boolean;
  isDeleted: boolean;
  startsOn: Day | null;
  /** Its position among all sources made. */
  madeAs: number;
  madeOn: Day;
  /** The newest load of each month, or billing period. */
  loads: Map<Month, NumberedLoad>;
  /** All loads with their months, oldest first. */
  published: [Month, NumberedLoad][];
  /** What rows of its files could not be read, oldest first. */
  found: FoundRows[];
  onBill: OnBill;
  /** What people have decided about its units, oldest first. */
  decisions: Decision[];
}

/** A source that lacks days of a month, with the first and the last of them. */
export type NaiveGap = [source: string, from: Day, through: Day];

const NO_ROWS: FeedRows = { lines: [], allocations: [], assets: [], shares: [], spend: [], usage: [] };

/** The cost sources of an organisation and their loads. A newer load of a month replaces the one before. */
export class NaiveSources {
  readonly #sources = new Map<string, Source>();
  readonly #organisation: Organisation;
  #loadCount = 0;
  /** The number of sources created before each month settled. */
  readonly #settledAs = new Map<Month, number>();
  /** The days on which months settled. */
  readonly #settledOn = new Map<Month, Day>();
  /** The days on which a lock accepted that a unit of a source lacks days of a month. */
  readonly #accepted = new Map<string, Day>();
  #made = 0;
  /** The charges that two sources count, or that the end of a unit leaves out, after each step so far. */
  readonly #twice: { on: Day; ever: NaiveTwice[]; found: NaiveTwice[] }[] = [];
  readonly #unmatched: { on: Day; found: { month: Month; source: number }[] }[] = [];

  constructor(organisation: Organisation) {
    this.#organisation = organisation;
    if (organisation.waitsForever) this.#make('waiting', 'focus', false, organisation.today);
  }

  #make(name: string, kind: Kind, isPaused: boolean, on: Day): Source {
    this.#made += 1;
    const source = { name, kind, isPaused, isDeleted: false, startsOn: null, madeAs: this.#made, madeOn: on };
    const onBill = this.#organisation.onBill[name] ?? 'auto';
    const made: Source = {
      ...source,
      loads: new Map(),
      published: [],
      found: [],
      onBill,
      decisions: [],
    };
    this.#sources.set(name, made);
    return made;
  }

  #named(name: SourceName, on: Day): Source {
    const key = sourceKey(name);
    const isPaused = this.#organisation.paused.some((paused) => sourceKey(paused) === key);
    return this.#sources.get(key) ?? this.#make(key, name.kind, isPaused, on);
  }

  /** Returns whether the load is accepted. */
  load(step: Extract<Step, { does: 'load' }>, choices: NaiveChoices): boolean {
    const source = this.#named(step.source, step.on);
    const before = source.loads.get(step.month);
    const read = loadOf(step, { before, found: source.found }, choices, (month) =>
      this.#settledAs.has(month),
    );
    if (read === 'refused') return false;
    source.found.push(...read.found);
    if (read.load === null) return true;
    const load = { number: this.#loadCount++, ...read.load };
    source.loads.set(step.month, load);
    source.published.push([step.month, load]);
    return true;
  }

  begin(name: SourceName, startsOn: Day | null, on: Day): void {
    this.#named(name, on).startsOn = startsOn;
  }

  delete(name: SourceName, on: Day): void {
    this.#named(name, on).isDeleted = true;
  }

  /** Stores what a person says about a unit. Returns whether the source has, or had, such a unit. */
  decide(
    name: SourceName,
    { on, unit, ...says }: Pick<Decision, 'on' | 'unit'> & Partial<Pick<Decision, 'endedOn' | 'stands'>>,
  ): boolean {
    const source = this.#named(name, on);
    const units = [...source.loads.values()].flatMap(({ rows }) => unitRows(source.kind, rows));
    const doubted = this.#twice.flatMap(({ ever }) => ever.filter((one) => one.source === source.name));
    if (source.isDeleted || ![...units, ...doubted].some((one) => one.unit === unit)) return false;
    const before = source.decisions.findLast((one) => one.unit === unit) ?? { endedOn: null, stands: false };
    source.decisions.push({ ...before, on, unit, ...says });
    this.noteUnmatched(on);
    this.noteTwice(on);
    return true;
  }

  /** Stores what a person says about the machines of a source. Returns whether there is such a source. */
  tellOnBill(name: SourceName, onBill: OnBill, on: Day): boolean {
    const source = this.#named(name, on);
    if (source.isDeleted) return false;
    source.onBill = onBill;
    this.noteUnmatched(on);
    return true;
  }

  /** Returns all loads ever published, of deleted sources too, with the day on which their source was made. */
  #everPublished(): { load: Load; madeOn: Day }[] {
    return [...this.#sources.values()].flatMap(({ published, madeOn }) =>
      published.map(([, load]) => ({ load, madeOn })),
    );
  }

  /** Returns whether a month was over before anything of it was loaded, or before a source that brought some of it was made. */
  beganLate(month: Month): boolean {
    const ofMonth = this.#everPublished().filter(
      ({ load }) => (load.days[0] ?? '9') <= lastDayOf(month) && (load.days.at(-1) ?? '') >= month,
    );
    return (
      ofMonth.length > 0 &&
      (ofMonth.every(({ load }) => load.publishedOn > lastDayOf(month)) ||
        ofMonth.some(({ madeOn }) => madeOn > lastDayOf(month)))
    );
  }

  /** Returns whether the organisation had any spend when a month was not yet over. */
  hadSpendIn(month: Month): boolean {
    return this.#everPublished().some(
      ({ load }) => load.days.length > 0 && load.publishedOn <= lastDayOf(month),
    );
  }

  #existing(kinds: readonly Kind[] = KINDS): Source[] {
    return [...this.#sources.values()].filter(({ isDeleted, kind }) => !isDeleted && kinds.includes(kind));
  }

  /**
   * Returns the last day of the month that its rows reach and that had ended when it was published, before any that had not ended
   * when it was read; null if there is none.
   */
  #brought(month: Month, { days, publishedOn, unfinished }: Load): Day | null {
    const reached = daysOfMonth(month).filter((day) => day < publishedOn && day <= (days.at(-1) ?? ''));
    return reached.filter((day) => [...unfinished].every((one) => day < one)).at(-1) ?? null;
  }

  /** Returns the first day that a source has ever delivered, of months of which it has brought any. A bill begins with its month. */
  #deliversFrom({ kind, loads }: Source): Day | null {
    const bringing = [...loads].filter(([month, one]) => this.#brought(month, one) !== null);
    return oldest(
      bringing.map(([month, { days }]) =>
        kind === 'focus' ? `${month}-01` : latest(days[0] ?? null, `${month}-01`),
      ),
    );
  }

  /**
   * Returns whether a source covers a day: the day is before its start, or a load of the day's month was published after it.
   * A load of a cluster or host must have read the day. For the others, the day must be within the delivered days (for a bill,
   * from the first day of its first month on).
   */
  #covers(source: Source, day: Day): boolean {
    const { kind, startsOn, loads } = source;
    const first = this.#deliversFrom(source);
    if (startsOn !== null && day < startsOn && day < (first ?? startsOn)) return true;
    const load = loads.get(day.slice(0, 7));
    if (load === undefined || load.days.length === 0 || load.publishedOn <= day) return false;
    if (kind === 'opencost' || kind === 'hosts') return load.read.has(day);
    if ([...load.unfinished].some((one) => one <= day)) return false;
    const through = newest([...loads].map(([month, one]) => this.#brought(month, one)));
    return through !== null && day <= through && first !== null && (kind === 'focus' || first <= day);
  }

  /** Returns whether the load of the day's month reaches the day, even if the day had not ended. */
  #hasBegun({ loads }: Source, day: Day): boolean {
    const load = loads.get(day.slice(0, 7));
    return load !== undefined && day <= load.publishedOn && day <= (load.days.at(-1) ?? '');
  }

  #gap(source: Source, month: Month): NaiveGap | null {
    const missing = daysOfMonth(month).filter((day) => !this.#covers(source, day));
    const [from, through] = [missing[0], missing.at(-1)];
    return from === undefined || through === undefined ? null : [source.name, from, through];
  }

  /**
   * Returns whether a source was created after a month settled, and an earlier source covers any day of the month. If it has
   * brought days of the month and lacks a later one, it is none.
   */
  #isLatecomer(source: Source, month: Month): boolean {
    const isLater = ({ madeAs }: Source): boolean => madeAs > (this.#settledAs.get(month) ?? Infinity);
    const days = daysOfMonth(month);
    const isCovered = (day: Day): boolean => this.#covers(source, day);
    const last = days.findLast(isCovered);
    const from = this.#deliversFrom(source);
    const hasStopped = from !== null && last !== undefined && last >= from && last !== days.at(-1);
    return (
      isLater(source) &&
      !hasStopped &&
      this.#existing().some((one) => !isLater(one) && days.some((day) => this.#covers(one, day)))
    );
  }

  /** Returns gaps of the active sources of a month; for all spend (`kinds` null), only of sources created before it settled. */
  gaps(month: Month, kinds: readonly Kind[] | null): NaiveGap[] {
    return this.#existing(kinds ?? KINDS)
      .filter((source) => !source.isPaused && (kinds !== null || !this.#isLatecomer(source, month)))
      .map((source) => this.#gap(source, month))
      .filter((gap) => gap !== null);
  }

  /** Notes which charges two sources count, or an end leaves out, after a step of a day, and nobody has called right. */
  noteTwice(on: Day): void {
    const existing = ofCountedDays(this.#existing());
    const sources = existing.map((source) => ({ ...source, rows: rowsOf([source]) }));
    const ever = [
      ...chargedTwice(sources, this.rows(), ALL_MONTHS),
      ...leftOutIn(this.#existing(), ALL_MONTHS),
    ];
    this.#twice.push({ on, ever, found: ever.filter((one) => !standsBeside(one, existing)) });
  }

  /** Returns the kinds of existing sources with charges of another source, as they were noted last, or last before a day. */
  twiceIn(month: Month, before: Day | null = null): Kind[] {
    const noted = this.#twice.filter(({ on }) => before === null || on < before).at(-1);
    return (noted?.found ?? [])
      .filter((one) => one.month === month && this.#existing().some(({ name }) => name === one.source))
      .map(({ kind }) => kind);
  }

  /** Returns the units of a source in its current loads. Only rows of a load's own month are days of a unit. */
  #units({ kind, loads }: Source): NaiveUnit[] {
    const units = new Map<string, { rows: Set<Day>; costs: Map<string, bigint> }>();
    for (const [month, { rows, unfinished, unfinishedAssets }] of loads)
      for (const [index, { unit, day, cost, part, isAsset }] of unitRows(kind, rows).entries()) {
        const known = units.get(unit) ?? { rows: new Set<Day>(), costs: new Map<string, bigint>() };
        units.set(unit, known);
        if (!day.startsWith(month) || (isAsset ? unfinishedAssets : unfinished).has(day)) continue;
        known.rows.add(day);
        const key = `${day} ${part ?? `${month} ${index}`}`;
        known.costs.set(key, (known.costs.get(key) ?? 0n) + decimalUnits(cost, 15));
      }
    return [...units].map(([name, { rows, costs }]) => ({
      name,
      rows,
      ofDay:
        rows.size === 0 ? 0n : [...costs.values()].reduce((sum, cost) => sum + cost, 0n) / BigInt(rows.size),
      costs: new Set([...costs].filter(([, cost]) => cost !== 0n).map(([key]) => key.slice(0, 10))),
    }));
  }

  /**
   * Returns the days that units of a source lack, unless a person has ended the unit, or a whole month between was closed:
   * settled, accepted without the unit, or over before the source was made. Paused sources lack none. With `before`, only what happened before that day counts.
   */
  #lacking(source: Source, before: Day = '9'): LackingDay[] {
    if (source.isPaused) return [];
    const known = ALL_MONTHS.filter((month) =>
      unitRows(source.kind, source.loads.get(month)?.rows ?? NO_ROWS).some(({ day }) => day !== ''),
    ).flatMap((month) => daysOfMonth(month).filter((day) => this.#covers(source, day)));
    const isClosed = (month: Month, unit: string): boolean =>
      (this.#settledOn.get(month) ?? '9') < before ||
      (this.#accepted.get(`${source.name} ${month} ${unit}`) ?? '9') < before ||
      month < source.madeOn.slice(0, 7);
    const hasEnded = ({ unit, day, seen, isBack }: LackingDay): boolean => {
      const ended = endOf(source, unit, before);
      return ended !== null && !isBack && seen <= ended && ended <= day;
    };
    return lackingDays(source.kind, this.#units(source), known).filter(
      (lacking) =>
        !hasEnded(lacking) &&
        !ALL_MONTHS.some(
          (month) =>
            month > lacking.seen.slice(0, 7) &&
            month < lacking.day.slice(0, 7) &&
            isClosed(month, lacking.unit),
        ),
    );
  }

  /** Returns whether units of sources of some kinds (null: all) lack days of a month. */
  #lacksUnits(month: Month, kinds: readonly Kind[] | null): boolean {
    return this.#existing(kinds ?? KINDS).some((source) =>
      this.#lacking(source).some(({ day }) => day.startsWith(month)),
    );
  }

  /** Accepts that units of sources of some kinds (null: all) lack days of a month. */
  accept(month: Month, kinds: readonly Kind[] | null, on: Day): void {
    for (const source of this.#existing(kinds ?? KINDS))
      for (const { unit, day } of this.#lacking(source)) {
        const key = `${source.name} ${month} ${unit}`;
        if (day.startsWith(month) && !this.#accepted.has(key)) this.#accepted.set(key, on);
      }
  }

  /** Returns whether a source covers a day, and lacks none of its units on it. */
  #coversWholly(source: Source, day: Day): boolean {
    return this.#covers(source, day) && !this.#lacking(source).some((one) => one.day === day);
  }

  /**
   * Returns whether sources let a month settle. No source may have a doubt or lack a unit, and no active source may lack a day.
   * One source must cover the last day. No two sources may have the same charges. Every machine must match something.
   *
   * @param before the day before which units and doubts about machines count; null counts today's.
   */
  isWhole(
    month: Month,
    sources: readonly Source[] = this.#existing(),
    twice: readonly Kind[] = this.twiceIn(month),
    before: Day | null = null,
  ): boolean {
    return (
      twice.length === 0 &&
      !sources.some(({ found }) => isDoubted(found, month)) &&
      !this.#hasUnmatched(month, null, before) &&
      !sources.some((source) =>
        this.#lacking(source, before ?? '9').some(({ day }) => day.startsWith(month)),
      ) &&
      sources.every(
        (source) => source.isPaused || this.#isLatecomer(source, month) || this.#gap(source, month) === null,
      ) &&
      sources.some((source) => this.#covers(source, lastDayOf(month)))
    );
  }

  /** Returns the same for the loads that were published before a day. */
  wasWholeBefore(day: Day, month: Month): boolean {
    const sources = this.#existing().map((source) => ({
      ...source,
      loads: new Map(source.published.filter(([, { publishedOn }]) => publishedOn < day)),
      found: source.found.filter(({ on }) => on < day),
    }));
    return this.isWhole(month, sources, this.twiceIn(month, day), day);
  }

  /**
   * Returns whether sources of some kinds (null: all) leave a month in doubt: rows that could not be read, charges that two
   * sources count, machines that match nothing, or units that lack days.
   */
  isInDoubt(month: Month, kinds: readonly Kind[] | null): boolean {
    return (
      this.#existing(kinds ?? KINDS).some(({ found }) => isDoubted(found, month)) ||
      this.twiceIn(month).some((kind) => (kinds ?? KINDS).includes(kind)) ||
      this.#hasUnmatched(month, kinds) ||
      this.#lacksUnits(month, kinds)
    );
  }

  /** Returns the names of active sources that were created after a month settled and lack days of it. */
  latecomers(month: Month): string[] {
    return this.#existing()
      .filter(
        (source) => !source.isPaused && this.#isLatecomer(source, month) && this.#gap(source, month) !== null,
      )
      .map(({ name }) => name);
  }

  /** Returns the last day up to which all active sources cover every day from `start` on. Without any, paused sources decide. */
  completeThrough(start: Day, today: Day): Day | null {
    const active = this.#existing().filter(({ isPaused }) => !isPaused);
    const isWhole = (day: Day): boolean =>
      active.length === 0
        ? this.#existing().some((source) => this.#coversWholly(source, day))
        : active.every((source) => this.#coversWholly(source, day));
    let through: Day | null = null;
    for (let day = start; day < today && isWhole(day); day = dayAfter(day)) through = day;
    return through;
  }

  /** Returns whether all active sources of `kinds` (null: all) cover a day, and a source of each kind does (null: of any). */
  isKnown(day: Day, kinds: readonly Kind[] | null): boolean {
    const isCovered = (kind: Kind): boolean =>
      this.#existing([kind]).some((source) => this.#coversWholly(source, day));
    return (
      this.#existing(kinds ?? KINDS).every((source) => source.isPaused || this.#coversWholly(source, day)) &&
      (kinds === null ? KINDS.some(isCovered) : kinds.every(isCovered))
    );
  }

  /** Returns whether any source covers any of the days. */
  coversAnyOf(days: readonly Day[]): boolean {
    return days.some((day) => this.#existing().some((source) => this.#coversWholly(source, day)));
  }

  /** Returns whether the settle days of a month have passed. */
  hasClosed(month: Month, today: Day): boolean {
    return dayNumber(today) > dayNumber(lastDayOf(month)) + this.#organisation.settleDays;
  }

  /**
   * Returns the months that settle now: the settle days have passed, no active source lacks a day, and a source covers the last
   * day. They begin with the first delivered day. If a source has a start day, they may begin with the first value.
   */
  settle(today: Day, settled: ReadonlyMap<Month, unknown>, firstValue: Day | null): Month[] {
    const sources = this.#existing();
    const first = oldest(
      sources.flatMap(({ loads }) =>
        [...loads].map(([month, { days }]) => latest(days[0] ?? null, `${month}-01`)),
      ),
    );
    const from = sources.some(({ startsOn }) => startsOn !== null) ? oldest([first, firstValue]) : first;
    const months = ALL_MONTHS.filter(
      (month) =>
        !settled.has(month) &&
        first !== null &&
        month >= (from ?? '').slice(0, 7) &&
        this.hasClosed(month, today) &&
        this.isWhole(month),
    );
    for (const month of months) {
      this.#settledAs.set(month, this.#made);
      this.#settledOn.set(month, today);
    }
    return months;
  }

  /** Returns all rows of the current loads that count. */
  rows(): Rows {
    const counted = ofCountedDays(this.#existing());
    return {
      reporters: reportersOf(counted),
      knownAssets: rowsOf(this.#existing()).assets,
      billDays: counted.flatMap(({ loads: own }) =>
        [...own].flatMap(([month, { rows, days, publishedOn }]) => {
          const delivered = [days.at(-1) ?? '', publishedOn].sort()[0] ?? '';
          return rows.lines
            .filter(({ day }) => day.startsWith(month) && day <= delivered)
            .map(({ day, cloud }) => ({ day, cloud, publishedOn }));
        }),
      ),
      ...rowsOf(counted),
    };
  }

  /** Records the machines that match nothing, after the spend changed on a day. */
  noteUnmatched(on: Day): void {
    const rows = this.rows();
    const days = new Set([...rows.reporters.map(({ day }) => day)]);
    this.#unmatched.push({
      on,
      found: [...days].flatMap((day) =>
        [...unmatchedOn(day, rows).map(({ source }) => source), ...withoutAssetsOn(day, rows)].map(
          (source) => ({
            month: day.slice(0, 7),
            source,
          }),
        ),
      ),
    });
  }

  /** Returns whether sources of some kinds (null: all) have machines that match nothing, as of before a day (null: now). */
  #hasUnmatched(month: Month, kinds: readonly Kind[] | null, before: Day | null = null): boolean {
    const noted = this.#unmatched.findLast(({ on }) => before === null || on < before);
    const sources = this.#existing(kinds ?? KINDS).map(({ madeAs }) => madeAs);
    return noted?.found.some((doubt) => doubt.month === month && sources.includes(doubt.source)) === true;
  }

  /** Returns the numbers of the loads that have days of a month, and what people have decided about their sources. */
  madeOf(month: Month): string {
    const sources = this.#existing().flatMap(({ loads, onBill, decisions }) => {
      const numbers = [...loads.values()]
        .filter(({ days }) => (days[0] ?? '9') <= lastDayOf(month) && (days.at(-1) ?? '') >= month)
        .map(({ number }) => number);
      const units = [...new Set(decisions.map(({ unit }) => unit))].sort();
      const ended = units
        .map((unit) => `${unit} ${endOf({ decisions }, unit) ?? '9'}`)
        .filter((text) => text.slice(-10) < lastDayOf(month));
      const standing = units.filter(
        (unit) => decisions.findLast((one) => one.unit === unit)?.stands === true,
      );
      return numbers.length === 0 ? [] : [numbers, onBill, ended, standing];
    });
    return JSON.stringify(sources);
  }

  /** Returns whether sources of a kind cover a day of the month, or have delivered a part of one. */
  isDelivered(kind: Kind, month: Month): boolean {
    return this.lastDelivered(kind, month) !== null;
  }

  /** Returns whether any kind has delivered anything of the month. */
  hasDelivered(month: Month): boolean {
    return KINDS.some((kind) => this.isDelivered(kind, month));
  }

  /** Returns the last day of the month that a kind covers, or has delivered in part; null if there is none. */
  lastDelivered(kind: Kind, month: Month): Day | null {
    const days = daysOfMonth(month).filter((day) =>
      this.#existing([kind]).some((source) => this.#covers(source, day) || this.#hasBegun(source, day)),
    );
    return days.at(-1) ?? null;
  }
}

/** Returns the clusters and hosts of each day. If several sources report one, always goes before never, and never before auto. */
function reportersOf(sources: readonly Source[]): Rows['reporters'] {
  const found = sources.flatMap(({ madeAs, loads, onBill }) =>
    [...loads.values()].flatMap(({ rows: { allocations, assets, shares } }) => [
      ...[...allocations, ...assets].map(({ day, cluster }) => ({
        day,
        of: `kubernetes ${cluster}`,
        source: madeAs,
        onBill,
      })),
      ...shares.map(({ day, host }) => ({ day, of: `hosts ${host}`, source: madeAs, onBill })),
    ]),
  );
  const reporters = new Map<string, Rows['reporters'][number]>();
  for (const one of found) {
    const known = reporters.get(`${one.day} ${one.of}`) ?? one;
    const onBill = (['always', 'never', 'auto'] as const).find((told) =>
      [one.onBill, known.onBill].includes(told),
    );
    const source = Math.min(one.source, known.source);
    reporters.set(`${one.day} ${one.of}`, { ...one, source, onBill: onBill ?? 'auto' });
  }
  return [...reporters.values()];
}

function rowsOf(sources: readonly Source[]): FeedRows {
  const loads = sources.flatMap(({ loads: own }) => [...own.values()].map(({ rows }) => rows));
  return {
    lines: loads.flatMap(({ lines }) => lines),
    allocations: loads.flatMap(({ allocations }) => allocations),
    assets: loads.flatMap(({ assets }) => assets),
    shares: loads.flatMap(({ shares }) => shares),
    spend: loads.flatMap(({ spend }) => spend),
    usage: loads.flatMap(({ usage }) => usage),
  };
}

const known = (days: readonly (Day | null)[]): Day[] => days.filter((day) => day !== null).sort();
const oldest = (days: readonly (Day | null)[]): Day | null => known(days)[0] ?? null;
const newest = (days: readonly (Day | null)[]): Day | null => known(days).at(-1) ?? null;

/** The months of all stories. */
export const ALL_MONTHS: readonly Month[] = ['2025-12', '2026-01', '2026-02'];
export const lastDayOf = (month: Month): Day =>
  `${month}-${{ '2025-11': '30', '2026-02': '28' }[month] ?? '31'}`;
const dayAfter = (day: Day): Day => new Date((dayNumber(day) + 1) * 86_400_000).toISOString().slice(0, 10);
const DAYS = new Map(
  ['2025-11', ...ALL_MONTHS].map((month) => [
    month,
    Array.from(
      { length: Number(lastDayOf(month).slice(8)) },
      (_, index): Day => `${month}-${`${index + 1}`.padStart(2, '0')}`,
    ),
  ]),
);
const daysOfMonth = (month: Month): readonly Day[] => DAYS.get(month) ?? [];
const latest = (day: Day | null, other: Day): Day | null => (day === null ? null : day < other ? other : day);
const dayNumber = (day: Day): number => Date.parse(day) / 86_400_000;
