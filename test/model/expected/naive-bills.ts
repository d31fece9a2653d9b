import type { Day, Month } from '../../../domain/shared/calendar.ts';
import { MONEY, moneyText } from './answers/naive-months.ts';
import { decimalUnits } from './naive-decimals.ts';
import type { NaiveChoices } from './naive-choices.ts';
import type { NaiveImport, NaiveValue } from './naive-imports.ts';
import type { NaiveSources } from './naive-sources.ts';
import { naiveParts, type LabelledValue } from './naive-split.ts';
import type { Spent } from './naive-spend.ts';
import type { NaiveTeams } from './naive-teams.ts';
import type { StorySplit } from '../organisation-story.ts';

/** The inputs of a month's bills, except the values that split shared costs. */
interface Basis {
  /** The spend that each team owns, by source. */
  owned: Map<number, Record<Spent['source'], bigint>>;
  sharedCosts: { index: number; units: bigint; split: StorySplit }[];
  /** Teams whose bill lacks days on which a tag or split was not yet collected. */
  uncollected: ReadonlySet<number>;
}

/** Exact amounts of a bill; shared costs by their number. */
export interface NaiveBill {
  direct: string;
  shared: string;
  by_source: Record<Spent['source'], string>;
  shared_costs: [number, string][];
}

export type SealedBecause = 'settled' | 'values_changed' | 'backfill' | 'resealed';
export type NaiveVersion = NaiveBill & { sealedOn: Day; because: SealedBecause };

export interface NaiveMonthBills {
  status: 'estimate' | 'waiting' | 'sealed';
  /** Metrics that split shared costs and have no value, and those whose import has not read the month. */
  missing: number[];
  /** By team, with the version once it has sealed; null while nothing of the month is delivered. */
  bills: Map<number, NaiveBill & Seal> | null;
}

export interface Seal {
  version: number | null;
  sealedOn: Day | null;
  because: SealedBecause | null;
}

/** The state that bills are computed from. */
interface Surroundings {
  settled: ReadonlyMap<Month, { hadTeams: boolean; isBackfill: boolean }>;
  sources: NaiveSources;
  teams: NaiveTeams;
  choices: NaiveChoices;
  metrics: readonly ({
    values: ReadonlyMap<string, NaiveValue>;
    import: NaiveImport;
  } | null)[];
  spent: () => Spent[];
}

/** Computes bills from each amount spent, and seals them (docs/concepts.md). */
export class NaiveBills {
  readonly #naive: Surroundings;
  /** The inputs from which months were sealed. */
  readonly #sealed = new Map<Month, { basis: Basis; madeOf: string }>();
  /** Months that an admin has sealed. */
  readonly #byHand = new Set<Month>();
  /** Months that have sealed after a later month settled in time. If they began late, they no longer follow today. */
  readonly #closed = new Set<Month>();
  /** Versions by month and team, oldest first. */
  readonly #versions = new Map<string, NaiveVersion[]>();

  constructor(naive: Surroundings) {
    this.#naive = naive;
  }

  versions(month: Month, team: number): readonly NaiveVersion[] {
    return this.#versions.get(`${month} ${team}`) ?? [];
  }

  /** Returns whether a team's bill of a month lacks uncollected spend: at its seal, or today without a seal. */
  isUncollected(month: Month, team: number): boolean {
    return (this.#holding(month)?.basis.uncollected ?? this.#uncollected(month)).has(team);
  }

  #uncollected(month: Month): ReadonlySet<number> {
    const { teams, choices } = this.#naive;
    const owned = [...teams.teams, ...teams.sharedCosts.map((cost) => cost?.spend ?? [])].flatMap(
      (picks) => picks ?? [],
    );
    const missing = [...teams.teams.keys()].filter((team) => {
      const picks = teams.picksBehindBill(team);
      return choices.isUncollected(picks, month) || choices.isTakenFrom(picks, owned, month);
    });
    return new Set(missing);
  }

  /** Seals due months. A bill gets a new version if an amount differs. */
  seal(today: Day): void {
    const { teams, settled } = this.#naive;
    if (!teams.teams.some((ownership) => ownership !== null)) return;
    for (const month of settled.keys()) {
      const held = this.#holding(month);
      // A bill that has sealed holds. No other is sealed from spend in doubt.
      if (held === null && !this.#isCertain(month)) continue;
      const basis = held?.basis ?? this.#basisNow(month, today);
      if (basis === null || !this.#hasValues(basis, month)) continue;
      const because = this.#followsToday(month) ? 'backfill' : held === null ? 'settled' : 'values_changed';
      this.#seal(month, basis, because, today);
    }
  }

  /** Returns whether no source lacks a day of the month or leaves it in doubt. */
  #isCertain(month: Month): boolean {
    const { sources } = this.#naive;
    return sources.gaps(month, null).length === 0 && !sources.isInDoubt(month, null);
  }

  /** Seals a month by hand: every bill gets another version. Returns false if the month cannot be sealed. */
  reseal(month: Month, today: Day): boolean {
    const { teams, settled } = this.#naive;
    const basis = this.#basisNow(month, today);
    const isPossible =
      settled.has(month) &&
      teams.teams.some((ownership) => ownership !== null) &&
      basis !== null &&
      this.#missing(basis, month).length === 0;
    if (!isPossible) return false;
    this.#byHand.add(month);
    this.#seal(month, basis, 'resealed', today);
    return true;
  }

  #seal(month: Month, basis: Basis, because: SealedBecause, today: Day): void {
    this.#sealed.set(month, { basis, madeOf: this.#madeOf(month) });
    if (this.#isOverdue(month)) this.#closed.add(month);
    for (const [team, bill] of this.#billsOf(basis, month)) {
      const before = this.versions(month, team);
      const { sealedOn: _, because: __, ...newest } = before.at(-1) ?? { sealedOn: null, because: null };
      if (because === 'resealed' || JSON.stringify(newest) !== JSON.stringify(bill))
        this.#versions.set(`${month} ${team}`, [...before, { ...bill, sealedOn: today, because }]);
    }
  }

  /** Returns the bills of a month. Due months must have been sealed. */
  ofMonth(month: Month, today: Day, spent: readonly Spent[]): NaiveMonthBills {
    const { teams, sources, settled } = this.#naive;
    if (this.#holding(month) !== null) {
      // A team created after the seal has no bill.
      const bills = [...teams.teams.keys()].flatMap((team) => {
        const versions = this.versions(month, team);
        const newest = versions.at(-1);
        if (!teams.has(team) || newest === undefined) return [];
        return [[team, { ...newest, version: versions.length }] as const];
      });
      return { status: 'sealed', missing: [], bills: new Map(bills) };
    }
    if (!sources.hasDelivered(month)) return { status: 'estimate', missing: [], bills: null };
    const basis = this.#basisOf(month, today, spent);
    const isUnread = (metric: number): boolean =>
      this.#isUnread(metric, month) &&
      (settled.has(month) || this.#naive.metrics[metric]?.import.hasTriedAfter(month) === true);
    const missing = [...this.#missing(basis, month), ...metricsOf(basis).filter(isUnread)];
    const bills = [...this.#billsOf(basis, month)].map(
      ([team, bill]) => [team, { ...bill, ...UNSEALED }] as const,
    );
    const status = settled.has(month) && missing.length > 0 ? 'waiting' : 'estimate';
    return { status, missing, bills: new Map(bills) };
  }

  /**
   * Returns a team's bill of one day by the definitions of `today`; null while a metric that splits it has no value in the month,
   * or its import has not read so far. A day of the running month is split by the values so far.
   */
  ofDay(day: Day, team: number, spent: readonly Spent[], today: Day): bigint | null {
    const month = day.slice(0, 7);
    const ofDay = spent.filter((one) => one.day === day);
    const basis = this.#basisOf(month, day, ofDay);
    const isRead = (metric: number): boolean =>
      today.startsWith(month)
        ? this.#naive.metrics[metric]?.import.hasReadInto(day) !== false
        : !this.#isUnread(metric, month);
    const isKnown = this.#missing(basis, month).length === 0 && metricsOf(basis).every(isRead);
    const bill = isKnown ? this.#billsOf(basis, month).get(team) : undefined;
    return bill === undefined ? null : fullyLoadedOf(bill);
  }

  /** Returns the inputs of a month's seal. If the month follows today, a change of spend, team or shared cost voids them. */
  #holding(month: Month): { basis: Basis; madeOf: string } | null {
    const sealed = this.#sealed.get(month) ?? null;
    return this.#followsToday(month) && sealed?.madeOf !== this.#madeOf(month) ? null : sealed;
  }

  #followsToday(month: Month): boolean {
    const settled = this.#naive.settled.get(month);
    if (settled === undefined || this.#byHand.has(month)) return false;
    const beganLate = this.#naive.sources.beganLate(month) && !this.#closed.has(month);
    return settled.isBackfill || !settled.hadTeams || beganLate;
  }

  /** Returns whether an ordinary later month has settled: in time, with spend while it ran. */
  #isOverdue(month: Month): boolean {
    return [...this.#naive.settled].some(
      ([later, { isBackfill }]) => later > month && !isBackfill && this.#naive.sources.hadSpendIn(later),
    );
  }

  /** A month's spend depends on its own loads, and on loads of other months, whose assets a cluster may borrow. */
  #madeOf(month: Month): string {
    const { teams, sources } = this.#naive;
    const spent = this.#naive.spent().filter(({ day }) => day.startsWith(month));
    const texts = spent.map((one) => JSON.stringify({ ...one, units: one.units.toString() })).sort();
    return `${teams.changes} ${sources.madeOf(month)} ${texts.join()}`;
  }

  /** Returns the inputs of a month's bills today; null if nothing of the month is delivered. */
  #basisNow(month: Month, today: Day): Basis | null {
    return this.#naive.sources.hasDelivered(month) ? this.#basisOf(month, today, this.#naive.spent()) : null;
  }

  #basisOf(month: Month, today: Day, spent: readonly Spent[]): Basis {
    const { teams } = this.#naive;
    const owned: Basis['owned'] = new Map();
    for (const team of teams.teams.keys())
      if (teams.has(team)) owned.set(team, { cloud: 0n, kubernetes: 0n, hosts: 0n, ai_tools: 0n });
    const sharedCosts = teams.sharedCosts.flatMap((cost, index) =>
      cost === null ? [] : [{ index, units: 0n, split: cost.split }],
    );
    for (const one of spent.filter(({ day }) => day.startsWith(month) && day <= today)) {
      const owner = teams.ownerOf(one);
      const ofTeam = owner !== null && 'team' in owner ? owned.get(owner.team) : undefined;
      if (ofTeam !== undefined) ofTeam[one.source] += one.units;
      for (const cost of sharedCosts)
        if (owner !== null && 'sharedCost' in owner && owner.sharedCost === cost.index)
          cost.units += one.units;
    }
    return { owned, sharedCosts, uncollected: this.#uncollected(month) };
  }

  #valuesOf(metric: number, month: Month): LabelledValue[] {
    const values = this.#naive.metrics[metric]?.values ?? new Map<string, never>();
    return [...values]
      .filter(([, { period }]) => period.startsWith(month))
      .map(([key, { period, value }]) => ({ label: key.slice(period.length + 1), value }));
  }

  #missing(basis: Basis, month: Month): number[] {
    return metricsOf(basis).filter((metric) => this.#valuesOf(metric, month).length === 0);
  }

  /** Returns whether the import of a metric has not read a month to its end, or was disconnected before it had. */
  #isUnread(metric: number, month: Month): boolean {
    const known = this.#naive.metrics[metric] ?? null;
    return (
      known !== null &&
      (!known.import.hasReadMonth(month) || known.import.endsWith(month, [...known.values.values()]))
    );
  }

  /** Returns whether all values that split costs of a month are there. */
  #hasValues(basis: Basis, month: Month): boolean {
    return (
      this.#missing(basis, month).length === 0 &&
      !metricsOf(basis).some((metric) => this.#isUnread(metric, month))
    );
  }

  #billsOf({ owned, sharedCosts }: Basis, month: Month): Map<number, NaiveBill> {
    const parts = sharedCosts.map(({ index, units, split }) => ({
      index,
      got: naiveParts(units, split, split.type === 'metric' ? this.#valuesOf(split.metric, month) : []),
    }));
    const bills = [...owned].map(([team, { cloud, kubernetes, hosts, ai_tools }]) => {
      const shared = parts.flatMap(({ index, got }): [number, bigint][] => {
        const part = got.get(team);
        return part === undefined ? [] : [[index, part]];
      });
      const bill: NaiveBill = {
        direct: moneyText(cloud + kubernetes + hosts + ai_tools),
        shared: moneyText(shared.reduce((sum, [, part]) => sum + part, 0n)),
        by_source: {
          cloud: moneyText(cloud),
          kubernetes: moneyText(kubernetes),
          hosts: moneyText(hosts),
          ai_tools: moneyText(ai_tools),
        },
        shared_costs: shared.map(([index, part]) => [index, moneyText(part)]),
      };
      return [team, bill] as const;
    });
    return new Map(bills);
  }
}

const metricsOf = ({ sharedCosts }: Basis): number[] => [
  ...new Set(sharedCosts.flatMap(({ split }) => (split.type === 'metric' ? [split.metric] : []))),
];

const UNSEALED: Seal = { version: null, sealedOn: null, because: null };

export const fullyLoadedOf = ({ direct, shared }: NaiveBill): bigint =>
  decimalUnits(direct, MONEY) + decimalUnits(shared, MONEY);
