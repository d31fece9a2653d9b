import type { Day, Month } from '../../domain/calendar.ts';
import type { SpendPick } from '../../domain/spend-pick.ts';
import { NaiveChoices } from './naive-choices.ts';
import { costOf, numbersOf, type Numbers } from './naive-months.ts';
import { daysOf, spentOf, type CollectedLine, type Rows, type Spent } from './naive-spend.ts';
import {
  KINDS,
  sourceKey,
  type Kind,
  type Organisation,
  type Step,
  type StoryMetric,
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

export type Status = 'open' | 'partial' | 'ready_to_lock' | 'locked' | 'changed_since_lock';

export interface NaiveMetric {
  definition: StoryMetric;
  picks: readonly SpendPick[] | null;
  /** By period and label. */
  values: Map<string, { period: Day; value: string }>;
  /** Versions of locked months, oldest first. */
  locks: Map<Month, Numbers[]>;
  /** Locked months of which a value was changed since. */
  changed: Set<Month>;
}

/** What is known of a month of a metric, beside its lock. */
export interface NaiveFacts {
  undelivered: Kind[];
  isUncollected: boolean;
  isSettled: boolean;
  values: { period: Day; value: string }[];
  current: Numbers;
  status: Status;
}

const NO_ROWS: Rows = { lines: [], allocations: [], assets: [], shares: [], spend: [], usage: [] };

/** The whole calculation, told the story step by step: plain loops over rows, nothing kept that could be derived. */
export class NaiveOrganisation {
  readonly metrics: (NaiveMetric | null)[] = [];
  readonly settled = new Set<Month>();
  readonly choices = new NaiveChoices();
  readonly #sources = new Map<string, Source>();
  readonly #organisation: Organisation;

  constructor(organisation: Organisation) {
    this.#organisation = organisation;
    if (organisation.waitsForever)
      this.#sources.set('waiting', { kind: 'focus', isPaused: false, isDeleted: false, loads: new Map() });
  }

  /** Does a step; answers the months it settled, or whether it was done (`true`) or had to be refused. */
  does(step: Step): boolean | Month[] {
    switch (step.does) {
      case 'create metric': {
        const { metric } = step;
        const isAccepted = this.choices.use(this.metrics.length, metric.picks ?? [], step.on);
        this.metrics.push(
          isAccepted
            ? {
                definition: metric,
                picks: metric.picks,
                values: new Map(),
                locks: new Map(),
                changed: new Set(),
              }
            : null,
        );
        return isAccepted;
      }
      case 'repick': {
        const metric = this.metrics[step.metric];
        if (metric === undefined || metric === null) return true;
        if (!this.choices.use(step.metric, step.picks, step.on)) return false;
        metric.picks = step.picks;
        return true;
      }
      case 'load':
        this.#load(step);
        return true;
      case 'delete source': {
        const source = this.#sources.get(sourceKey(step.source));
        if (source !== undefined) source.isDeleted = true;
        return true;
      }
      case 'set values':
        for (const { period, label, value } of step.values) this.#change(step.metric, period, label, value);
        return true;
      case 'remove values':
        for (const [key, { period }] of this.metrics[step.metric]?.values ?? []) {
          if (period >= step.start && period <= step.end)
            this.#change(step.metric, period, key.slice(period.length + 1), null);
        }
        return true;
      case 'settle':
        return this.#settle(step.on);
      case 'lock':
        return this.#lock(step.metric, step.month, step.on);
    }
  }

  #load({ source: name, month, feed }: Extract<Step, { does: 'load' }>): void {
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
        rows.lines = feed.lines.map((line): CollectedLine => ({ ...line, ...this.choices.collect(line) }));
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

  // The same number again is no change; a removal of what is not there neither (design §2, Status).
  #change(index: number, period: Day, label: string, value: string | null): void {
    const metric = this.metrics[index];
    if (metric === undefined || metric === null) return;
    const key = `${period} ${label}`;
    const before = metric.values.get(key)?.value ?? null;
    if (before === value || (before !== null && value !== null && Number(before) === Number(value))) return;
    if (value === null) metric.values.delete(key);
    else metric.values.set(key, { period, value });
    metric.changed.add(period.slice(0, 7));
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

  /** Settled: its settle days have passed, somebody has delivered it, and no active source has yet to. */
  #settle(today: Day): Month[] {
    const first = oldest(this.#loads().map(({ firstDay }) => firstDay));
    const last = newest(this.#loads().map(({ lastDay }) => lastDay));
    if (first === null || last === null) return [];
    const active = [...this.#sources.values()].filter(({ isDeleted, isPaused }) => !isDeleted && !isPaused);
    const months = ALL_MONTHS.filter((month) => {
      const end = lastDayOf(month);
      return (
        month >= first.slice(0, 7) &&
        dayNumber(today) > dayNumber(end) + this.#organisation.settleDays &&
        last >= end &&
        active.map(this.#deliveredThrough).every((day) => day !== null && day >= end) &&
        !this.settled.has(month)
      );
    });
    for (const month of months) this.settled.add(month);
    return months;
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
  #isDelivered(kind: Kind, month: Month): boolean {
    const first = oldest(this.#loads([kind]).map(({ firstDay }) => firstDay));
    const last = newest(this.#loads([kind]).map(({ lastDay }) => lastDay));
    return first !== null && last !== null && first.slice(0, 7) <= month && month <= last.slice(0, 7);
  }

  facts(index: number, month: Month, today: Day, spent: readonly Spent[]): NaiveFacts {
    const metric = this.metrics[index];
    if (metric === undefined || metric === null) throw new Error(`no metric ${index}`);
    const kinds = metric.picks === null ? KINDS : [...new Set(metric.picks.map(kindOf))].sort();
    const undelivered = kinds.filter((kind) => !this.#isDelivered(kind, month));
    // Unknown, not 0: what no source has delivered, and what tags and splits had before anybody picked by them.
    const isKnown =
      metric.picks === null
        ? undelivered.length < kinds.length
        : metric.picks.some(
            (pick) =>
              !undelivered.includes(kindOf(pick)) && this.choices.isCollectedBy(pick, lastDayOf(month)),
          );
    const cost = isKnown ? costOf(spent, metric.picks, month, today) : null;
    const values = [...metric.values.values()].filter(({ period }) => period.startsWith(month));
    const current = numbersOf(cost, values, metric.definition);
    const isUncollected = this.choices.isUncollected(metric.picks ?? [], month);
    const isSettled = this.settled.has(month);
    const status = ((): Status => {
      if (metric.locks.has(month)) return metric.changed.has(month) ? 'changed_since_lock' : 'locked';
      if (isUncollected) return 'partial';
      return isSettled && current.value !== null && cost !== null ? 'ready_to_lock' : 'open';
    })();
    return {
      undelivered: metric.picks === null ? [] : undelivered,
      isUncollected,
      isSettled,
      values,
      current,
      status,
    };
  }

  /** What is ready is locked, and what has changed since is again, if it has its numbers and is not partial. */
  #lock(index: number, month: Month, today: Day): boolean {
    const metric = this.metrics[index];
    if (metric === undefined || metric === null) return true;
    const { status, current, isUncollected } = this.facts(index, month, today, spentOf(this.rows()));
    const isLockable =
      status === 'ready_to_lock' ||
      (status === 'changed_since_lock' && !isUncollected && current.cost !== null && current.value !== null);
    if (!isLockable) return false;
    metric.locks.set(month, [...(metric.locks.get(month) ?? []), current]);
    metric.changed.delete(month);
    return true;
  }
}

const kindOf = ({ source }: SpendPick): Kind =>
  (({ cloud: 'focus', kubernetes: 'opencost', host: 'hosts', repository: 'ai_tools' }) as const)[source];

const known = (days: readonly (Day | null)[]): Day[] => days.filter((day) => day !== null).sort();
const oldest = (days: readonly (Day | null)[]): Day | null => known(days)[0] ?? null;
const newest = (days: readonly (Day | null)[]): Day | null => known(days).at(-1) ?? null;

/** The months in which anything happens. */
export const ALL_MONTHS: readonly Month[] = ['2025-12', '2026-01', '2026-02'];
const lastDayOf = (month: Month): Day => `${month}-${{ '2025-11': '30', '2026-02': '28' }[month] ?? '31'}`;
const dayNumber = (day: Day): number => Date.parse(day) / 86_400_000;
