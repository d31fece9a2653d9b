import type { Day, Month } from '../../domain/calendar.ts';
import type { NaiveChoices } from './naive-choices.ts';
import { daysOf, type CollectedLine, type Rows } from './naive-spend.ts';
import {
  KINDS,
  sourceKey,
  type Kind,
  type Organisation,
  type SourceName,
  type Step,
} from './organisation-story.ts';

/** A load as it was published: its rows, with what was collected of them. */
interface Load {
  kind: Kind;
  rows: Rows;
  firstDay: Day | null;
  lastDay: Day | null;
}

interface Source {
  kind: Kind;
  isPaused: boolean;
  isDeleted: boolean;
  /** The newest load of each month, or billing period. */
  loads: Map<Month, Load>;
}

const NO_ROWS: Rows = { lines: [], allocations: [], assets: [], shares: [], spend: [], usage: [] };

/** The cost sources of an organisation and what they have delivered; a newer load of a month replaces the one before. */
export class NaiveSources {
  readonly #sources = new Map<string, Source>();
  readonly #organisation: Organisation;

  constructor(organisation: Organisation) {
    this.#organisation = organisation;
    if (organisation.waitsForever)
      this.#sources.set('waiting', { kind: 'focus', isPaused: false, isDeleted: false, loads: new Map() });
  }

  load({ on, source: name, month, feed }: Extract<Step, { does: 'load' }>, choices: NaiveChoices): void {
    const source = this.#sources.get(sourceKey(name)) ?? {
      kind: name.kind,
      isPaused: this.#organisation.paused.some((paused) => sourceKey(paused) === sourceKey(name)),
      isDeleted: false,
      loads: new Map<Month, Load>(),
    };
    this.#sources.set(sourceKey(name), source);
    const days = daysOf(feed);
    const rows: Rows = { ...NO_ROWS };
    switch (feed.kind) {
      case 'focus':
        rows.lines = feed.lines.map((line): CollectedLine => ({ ...line, ...choices.collect(line, on) }));
        break;
      case 'opencost':
        rows.allocations = feed.allocations;
        rows.assets = feed.assets;
        break;
      case 'hosts':
        rows.shares = feed.shares;
        break;
      case 'ai_tools':
        rows.spend = feed.spend;
        rows.usage = feed.usage;
        break;
    }
    source.loads.set(month, {
      kind: feed.kind,
      rows,
      firstDay: days[0] ?? null,
      lastDay: days.at(-1) ?? null,
    });
  }

  delete(name: SourceName): void {
    const source = this.#sources.get(sourceKey(name));
    if (source !== undefined) source.isDeleted = true;
  }

  /** What is published and not deleted. */
  #loads(kinds: readonly Kind[] = KINDS): Load[] {
    return [...this.#sources.values()]
      .filter(({ isDeleted, kind }) => !isDeleted && kinds.includes(kind))
      .flatMap(({ loads }) => [...loads.values()]);
  }

  /** How far a source has delivered. */
  #deliveredThrough = ({ loads }: Source): Day | null =>
    newest([...loads.values()].map(({ lastDay }) => lastDay));

  /** The last day that all active sources have delivered; with none active, any paused one. */
  completeThrough(): Day | null {
    const sources = [...this.#sources.values()].filter(({ isDeleted }) => !isDeleted);
    const active = sources.filter(({ isPaused }) => !isPaused).map(this.#deliveredThrough);
    if (active.length === 0) return newest(sources.map(this.#deliveredThrough));
    return active.includes(null) ? null : oldest(active);
  }

  /** The months that can settle: the settle days have passed, somebody has delivered it, and no active source has yet to. */
  settledBy(today: Day): Month[] {
    const first = oldest(this.#loads().map(({ firstDay }) => firstDay));
    const last = newest(this.#loads().map(({ lastDay }) => lastDay));
    if (first === null || last === null) return [];
    const active = [...this.#sources.values()].filter(({ isDeleted, isPaused }) => !isDeleted && !isPaused);
    return ALL_MONTHS.filter((month) => {
      const end = lastDayOf(month);
      return (
        month >= first.slice(0, 7) &&
        dayNumber(today) > dayNumber(end) + this.#organisation.settleDays &&
        last >= end &&
        active.map(this.#deliveredThrough).every((day) => day !== null && day >= end)
      );
    });
  }

  /** All rows of the loads that count, whatever the day. */
  rows(): Rows {
    const loads = this.#loads().map(({ rows }) => rows);
    return {
      lines: loads.flatMap(({ lines }) => lines),
      allocations: loads.flatMap(({ allocations }) => allocations),
      assets: loads.flatMap(({ assets }) => assets),
      shares: loads.flatMap(({ shares }) => shares),
      spend: loads.flatMap(({ spend }) => spend),
      usage: loads.flatMap(({ usage }) => usage),
    };
  }

  /** Whether sources of a kind have delivered any of the month: it lies between their first day and their last. */
  isDelivered(kind: Kind, month: Month): boolean {
    const first = oldest(this.#loads([kind]).map(({ firstDay }) => firstDay));
    const last = newest(this.#loads([kind]).map(({ lastDay }) => lastDay));
    return first !== null && last !== null && first.slice(0, 7) <= month && month <= last.slice(0, 7);
  }

  /** Whether anything of the month has been delivered, by whatever kind. */
  hasDelivered(month: Month): boolean {
    return KINDS.some((kind) => this.isDelivered(kind, month));
  }

  /** The last day up to the month's end that a kind has delivered; empty before there is any. */
  lastDelivered(kind: Kind, month: Month): Day {
    const last = newest(this.#loads([kind]).map(({ lastDay }) => lastDay)) ?? '';
    return last < lastDayOf(month) ? last : lastDayOf(month);
  }
}

const known = (days: readonly (Day | null)[]): Day[] => days.filter((day) => day !== null).sort();
const oldest = (days: readonly (Day | null)[]): Day | null => known(days)[0] ?? null;
const newest = (days: readonly (Day | null)[]): Day | null => known(days).at(-1) ?? null;

/** The months in which anything happens. */
export const ALL_MONTHS: readonly Month[] = ['2025-12', '2026-01', '2026-02'];
export const lastDayOf = (month: Month): Day =>
  `${month}-${{ '2025-11': '30', '2026-02': '28' }[month] ?? '31'}`;
const dayNumber = (day: Day): number => Date.parse(day) / 86_400_000;
