import type { Day, Month } from '../../../domain/shared/calendar.ts';
import type { SpendPick } from '../../../domain/spend/spend-pick.ts';
import { fullyLoadedOf, NaiveBills } from './naive-bills.ts';
import { NaiveChoices } from './naive-choices.ts';
import { NaiveImport, type NaiveValue } from './naive-imports.ts';
import { plain, plainPicks, plainValues } from './naive-labels.ts';
import { costOf, numbersOf, type Numbers } from './answers/naive-months.ts';
import { lastDayOf, NaiveSources, type NaiveGap } from './naive-sources.ts';
import { spentOf, type Spent } from './naive-spend.ts';
import { NaiveTeams } from './naive-teams.ts';
import {
  KINDS,
  type ImportStep,
  type Kind,
  type Organisation,
  type Step,
  type StoryMetric,
  type StoryValue,
} from '../organisation-story.ts';

type Status = 'open' | 'partial' | 'ready_to_lock' | 'locked' | 'changed_since_lock';

export interface NaiveMetric {
  definition: StoryMetric;
  picks: readonly SpendPick[] | null;
  /** By period and label. */
  values: Map<string, NaiveValue>;
  import: NaiveImport;
  /** Versions of locked months, oldest first. */
  locks: Map<Month, Numbers[]>;
  /** Locked months with a value that changed after the lock. */
  changed: Set<Month>;
}

/** A value to store, or null to remove it. */
type Changed = Omit<StoryValue, 'value'> & { value: string | null };

/** The facts of a metric's month, except its lock. */
export interface NaiveFacts {
  undelivered: Kind[];
  gaps: NaiveGap[];
  /** Whether it can be locked: now, or only without spend that sources have not delivered. */
  canLock: 'now' | 'without_missing' | 'no';
  isUncollected: boolean;
  isSettled: boolean;
  values: { period: Day; value: string }[];
  current: Numbers;
  status: Status;
}

/** The whole naive calculation, which runs a story step by step. It loops over rows, and stores nothing that it can derive. */
export class NaiveOrganisation {
  readonly metrics: (NaiveMetric | null)[] = [];
  /** Settled months: whether there were teams at that moment, and whether the spend was complete late. */
  readonly settled = new Map<Month, { hadTeams: boolean; isBackfill: boolean }>();
  readonly choices = new NaiveChoices();
  readonly teams = new NaiveTeams(this);
  readonly bills = new NaiveBills(this);
  readonly sources: NaiveSources;
  readonly #settleDays: number;

  constructor(organisation: Organisation) {
    this.#settleDays = organisation.settleDays;
    this.sources = new NaiveSources(organisation);
  }

  /** Runs a step. Returns the months that it settled, or whether it is accepted (`true`) or rejected. */
  does(step: Step): boolean | Month[] {
    const done = this.#do(step);
    this.sources.noteTwice(step.on);
    return done;
  }

  #do(step: Step): boolean | Month[] {
    switch (step.does) {
      case 'create metric': {
        const metric = { ...step.metric, picks: step.metric.picks && plainPicks(step.metric.picks) };
        const isAccepted =
          (metric.team === null || this.teams.has(metric.team)) &&
          this.choices.use(`metric ${this.metrics.length}`, metric.picks ?? [], step.on);
        this.metrics.push(
          isAccepted
            ? {
                definition: metric,
                picks: metric.picks,
                values: new Map(),
                import: new NaiveImport(),
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
        const picks = plainPicks(step.picks);
        if (!this.choices.use(`metric ${step.metric}`, picks, step.on)) return false;
        metric.picks = picks;
        return true;
      }
      case 'load':
        if (!this.sources.load(step, this.choices)) return false;
        this.sources.noteUnmatched(step.on);
        return true;
      case 'begin source':
        this.sources.begin(step.source, step.startsOn, step.on);
        return true;
      case 'delete source':
        this.sources.delete(step.source, step.on);
        this.sources.noteUnmatched(step.on);
        return true;
      case 'end unit':
      case 'confirm unit': {
        const { source, on, unit } = step;
        const says = step.does === 'end unit' ? { endedOn: step.day } : { stands: step.stands };
        return this.sources.decide(source, { on, unit, ...says }) && this.#settle(on);
      }
      case 'tell on bill':
        return this.sources.tellOnBill(step.source, step.onBill, step.on);
      case 'connect':
      case 'disconnect':
      case 'begin run':
      case 'end run': {
        const isDone = this.#import(step);
        this.bills.seal(step.on);
        return isDone;
      }
      case 'set values':
        return this.#changeByHand(step.metric, () => plainValues(step.values), step.on);
      case 'remove values': {
        const { start, end, label } = step;
        const isMeant = (value: NaiveValue): boolean =>
          value.period >= start && value.period <= end && (label === null || value.label === plain(label));
        const removed = (present: NaiveValue[]) =>
          present.filter(isMeant).map((value) => ({ ...value, value: null }));
        return this.#changeByHand(step.metric, removed, step.on);
      }
      case 'settle': {
        const months = this.#settle(step.on);
        this.bills.seal(step.on);
        return months;
      }
      case 'lock':
        return this.#lock(step, step.on);
      case 'read bills':
        this.bills.seal(step.on);
        return true;
      case 'reseal':
        return this.bills.reseal(step.month, step.on);
      default:
        return this.teams.does(step, step.on);
    }
  }

  /** Returns all spend that counts. */
  spent(): Spent[] {
    return spentOf(this.sources.rows());
  }

  #settle(on: Day): Month[] {
    const values = this.metrics.flatMap((metric) => [...(metric?.values.values() ?? [])]);
    const firstValue = values.map(({ period }) => period).sort()[0] ?? null;
    const months = this.sources.settle(on, this.settled, firstValue);
    for (const month of months) {
      const lateFrom = daysAfter(lastDayOf(month), 1 + this.#settleDays + 3 + 1);
      this.settled.set(month, {
        hadTeams: this.teams.teams.some((ownership) => ownership !== null),
        isBackfill: on >= lateFrom && !this.sources.wasWholeBefore(lateFrom, month),
      });
    }
    return months;
  }

  /** Runs a step of an import. */
  #import(step: { on: Day } & ImportStep): boolean {
    const metric = this.metrics[step.metric];
    if (metric === undefined || metric === null) return true;
    const isLabelled = metric.definition.labelled;
    switch (step.does) {
      case 'connect':
        metric.import.connect(step.on);
        return true;
      case 'disconnect':
        if (metric.import.key === null) return false;
        metric.import.disconnect(step.on);
        return true;
      case 'begin run':
        if (metric.import.key === null) return false;
        metric.import.begin(step.startMonth === null ? null : `${step.startMonth}-01`, step.on);
        return true;
      case 'end run': {
        const changes = metric.import.end(step, { isLabelled, values: [...metric.values.values()] });
        this.#change(step.metric, changes, metric.import.key);
        return true;
      }
    }
  }

  /** Changes values of a metric, unless an import owns them, or there is no such change. Then bills seal. */
  #changeByHand(
    index: number,
    changesOf: (present: NaiveValue[]) => readonly Changed[] | null,
    on: Day,
  ): boolean {
    const metric = this.metrics[index] ?? null;
    const changes = metric === null ? [] : changesOf([...metric.values.values()]);
    const isDone = changes !== null && (metric?.import.key ?? null) === null;
    if (isDone) this.#change(index, changes, null);
    this.bills.seal(on);
    return isDone;
  }

  // An equal number is no change. The removal of a missing value is no change either.
  #change(index: number, values: readonly Changed[], importKey: number | null): void {
    const metric = this.metrics[index];
    if (metric === undefined || metric === null) return;
    for (const { period, label, value } of values) {
      const key = `${period} ${label}`;
      const before = metric.values.get(key)?.value ?? null;
      if (before === value || (before !== null && value !== null && Number(before) === Number(value)))
        continue;
      if (value === null) metric.values.delete(key);
      else metric.values.set(key, { period, label, value, key: importKey });
      metric.changed.add(period.slice(0, 7));
    }
  }

  facts(index: number, month: Month, today: Day, spent: readonly Spent[]): NaiveFacts {
    const metric = this.metrics[index];
    if (metric === undefined || metric === null) throw new Error(`no metric ${index}`);
    const { team } = metric.definition;
    const kinds = metric.picks === null ? KINDS : [...new Set(metric.picks.map(kindOf))].sort();
    const undelivered = kinds.filter((kind) => !this.sources.isDelivered(kind, month));
    // Spend that no source has delivered is unknown, not 0. So is the spend of tags and splits before their first pick.
    const isKnown =
      metric.picks === null
        ? undelivered.length < kinds.length
        : metric.picks.some(
            (pick) =>
              !undelivered.includes(kindOf(pick)) &&
              this.choices.isCollectedBy(pick, this.sources.lastDelivered(kindOf(pick), month) ?? ''),
          );
    const ofTeam = team === null ? null : this.#billOf(team, month, today, spent);
    const cost = ofTeam !== null ? ofTeam.cost : isKnown ? costOf(spent, metric.picks, month, today) : null;
    const values = [...metric.values.values()].filter(({ period }) => period.startsWith(month));
    const current = numbersOf(cost, values, metric.definition);
    const isUncollected =
      team === null
        ? this.choices.isUncollected(metric.picks ?? [], month)
        : this.bills.isUncollected(month, team);
    const isSettled = ofTeam === null ? this.settled.has(month) : ofTeam.isSealed;
    const gaps = this.sources.gaps(month, metric.picks === null ? null : kinds);
    // Until the month settles, it waits for everything that prevents the settlement.
    const isHeldBack = !isSettled && !this.sources.isWhole(month);
    const lacksSpend =
      (team === null || !isSettled) &&
      (gaps.length > 0 ||
        this.sources.isInDoubt(month, metric.picks === null ? null : kinds) ||
        isHeldBack ||
        (metric.picks !== null && undelivered.length > 0));
    const isMissing =
      lacksSpend ||
      !metric.import.hasReadMonth(month) ||
      metric.import.endsWith(month, [...metric.values.values()]);
    const status = ((): Status => {
      if (metric.locks.has(month)) return metric.changed.has(month) ? 'changed_since_lock' : 'locked';
      if (isUncollected) return 'partial';
      return isSettled && !isMissing && current.value !== null && cost !== null ? 'ready_to_lock' : 'open';
    })();
    const canLock = (): NaiveFacts['canLock'] => {
      const how = isMissing ? 'without_missing' : 'now';
      if (status === 'ready_to_lock') return 'now';
      if (status === 'locked' || isUncollected || current.cost === null || current.value === null)
        return 'no';
      if (status === 'changed_since_lock') return how;
      const isWaiting = ofTeam?.isWaiting === true || !this.sources.hasClosed(month, today);
      // A month without doubts about its spend waits for the next settlement, which nobody can accept.
      return isMissing && !isWaiting && (isSettled || lacksSpend) ? how : 'no';
    };
    return {
      undelivered: metric.picks === null ? [] : undelivered,
      gaps,
      canLock: canLock(),
      isUncollected,
      isSettled,
      values,
      current,
      status,
    };
  }

  /** Returns the cost of a metric with team scope: the sealed or estimated bill. A team created after the seal has no bill. */
  #billOf(team: number, month: Month, today: Day, spent: readonly Spent[]) {
    const { status, bills, missing } = this.bills.ofMonth(month, today, spent);
    const bill = bills?.get(team);
    return {
      isSealed: status === 'sealed' && bill !== undefined,
      isWaiting: missing.length > 0 && status !== 'sealed',
      cost: bill === undefined ? null : fullyLoadedOf(bill),
    };
  }

  /**
   * Locks a month that is ready, or has changed since its lock, if it has its numbers and is not partial. If it only lacks spend
   * that sources have not delivered, `acceptMissing` locks it.
   */
  #lock({ metric: index, month, acceptMissing }: Extract<Step, { does: 'lock' }>, today: Day): boolean {
    const metric = this.metrics[index];
    if (metric === undefined || metric === null) return true;
    if (metric.definition.team !== null) this.bills.seal(today);
    const { current, canLock, isSettled } = this.facts(index, month, today, this.spent());
    if (canLock === 'no' || (canLock === 'without_missing' && !acceptMissing)) return false;
    if (canLock === 'without_missing')
      this.sources.accept(month, isSettled ? pickedKinds(metric.picks) : null, today);
    metric.locks.set(month, [...(metric.locks.get(month) ?? []), current]);
    metric.changed.delete(month);
    return true;
  }
}

const daysAfter = (day: Day, count: number): Day =>
  new Date(Date.parse(day) + count * 86_400_000).toISOString().slice(0, 10);

const pickedKinds = (picks: readonly SpendPick[] | null): Kind[] | null =>
  picks === null ? null : picks.map(kindOf);

const kindOf = ({ source }: SpendPick): Kind =>
  (({ cloud: 'focus', kubernetes: 'opencost', host: 'hosts', repository: 'ai_tools' }) as const)[source];
