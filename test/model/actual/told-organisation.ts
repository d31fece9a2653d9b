import type { Lockability } from '../../../domain/months/month-lockability.ts';
import type { MonthRecord } from '../../../domain/months/month-record.ts';
import { addDays, type Day, type Month } from '../../../domain/shared/calendar.ts';
import { resealBills } from '../../../warehouse/teams/bills/bill-resealing.ts';
import { sealBills } from '../../../warehouse/teams/bills/bill-sealing.ts';
import { label as labelText } from '../../../api/metrics/value-fields.ts';
import { validItems } from '../../../api/metrics/value-items.ts';
import { metricPicks } from '../../../api/spend/pick-fields.ts';
import { updateCostSource, type CostSource } from '../../../warehouse/sources/cost-sources.ts';
import { removeValues, writeValues } from '../../../warehouse/metrics/write-values.ts';
import { createMetric, updateMetric, type Metric } from '../../../warehouse/metrics/metrics.ts';
import { listMonthVersions, lockMonth } from '../../../warehouse/months/month-locks.ts';
import type { Organisation as StoredOrganisation } from '../../../warehouse/organisations/organisations.ts';
import { settleMonths } from '../../../warehouse/months/settlement.ts';
import { computeSpend } from '../../../warehouse/spend/compute-spend.ts';
import type { Warehouse } from '../../../warehouse/engine/warehouse.ts';
import type { TestWarehouse } from '../../support/warehouse/engines.ts';
import { ADMIN, newOrganisation, newSource } from '../../support/warehouse/tenant.ts';
import { ALL_MONTHS } from '../expected/naive-sources.ts';
import {
  sourceKey,
  type Organisation,
  type SourceName,
  type Step,
  type StoryMetric,
  type StoryValue,
} from '../organisation-story.ts';
import { onClockBehind } from '../../warehouse/months/clock-behind.ts';
import { decide } from './told-decisions.ts';
import { loadFeed } from './told-files.ts';
import { BILL_FORMS } from './told-forms.ts';
import { ToldImport } from './told-imports.ts';
import { orRefused } from './told-refusals.ts';
import { ToldTeams } from './told-teams.ts';

const KEY = { type: 'key', id: 'key_1', name: 'Finance' } as const;
const CHANGE = { source: 'hand', by: KEY } as const;

/** Of loads that follow each other on a day, each with such a number is computed alone. */
const COMPUTED_EACH = 4;

type LockOutcome = Pick<Lockability, 'can_lock'> & { missing: string[] };

/** Stories write values of days to come, which the API refuses. */
const AFTER_ALL_STORIES = new Date('2027-01-01T00:00:00Z');

/** Returns values as the API reads them. */
const sentValues = (values: readonly StoryValue[], { frequency, label_key }: Metric) =>
  values.map(({ period, label, value }) => ({
    period: frequency === 'daily' ? period : period.slice(0, 7),
    value: Number(value),
    ...(label_key === null ? {} : { label: labelText.parse(label) }),
  }));

/** Returns noon of a day, far from the days before and after. */
export const noon = (day: Day): Date => new Date(`${day}T12:00:00Z`);

/** Runs the story of a random organisation in the product: publishes loads, makes metrics, writes values, locks months. */
export class ToldOrganisation {
  /** In the order of the story; null for rejected metrics. */
  readonly metrics: (Metric | null)[] = [];
  /** In the same order. */
  readonly #imports: (ToldImport | null)[] = [];
  readonly stored: StoredOrganisation;
  readonly teams: ToldTeams;
  readonly #test: TestWarehouse;
  readonly #warehouse: Warehouse;
  readonly #organisation: Organisation;
  readonly #sources = new Map<string, CostSource>();
  #steps = 0;

  private constructor(test: TestWarehouse, organisation: Organisation, stored: StoredOrganisation) {
    this.#test = test;
    this.#warehouse = test.warehouse;
    this.#organisation = organisation;
    this.stored = stored;
    this.teams = new ToldTeams(test.warehouse, stored.id, this.metrics);
  }

  static async create(test: TestWarehouse, organisation: Organisation): Promise<ToldOrganisation> {
    const { warehouse } = test;
    const stored = await newOrganisation(warehouse, { settle_days: organisation.settleDays });
    if (organisation.waitsForever) await newSource(warehouse, stored.id, { name: 'waiting' });
    return new ToldOrganisation(test, organisation, stored);
  }

  get id(): string {
    return this.stored.id;
  }

  /**
   * Runs a step, and computes its months as each ingest and each read does. Most loads of a day are computed at once, as if their
   * ingests had waited for each other. Returns the months that it settled, or whether the product accepted it.
   */
  async does(step: Step, next: Step | undefined): Promise<boolean | string[]> {
    const done = await this.#do(step);
    this.#steps += 1;
    const isAtOnce = step.does === 'load' && next?.does === 'load' && next.on === step.on;
    if (!isAtOnce || this.#steps % COMPUTED_EACH === 0)
      await computeSpend(this.#warehouse, this.id, noon(step.on));
    return done;
  }

  async #do(step: Step): Promise<boolean | string[]> {
    const [warehouse, now] = [this.#warehouse, noon(step.on)];
    switch (step.does) {
      case 'create metric': {
        const { aggregation, frequency, labelled, target } = step.metric;
        const scope = this.#scopeOf(step.metric);
        const definition = {
          name: `Metric ${this.metrics.length}`,
          unit: 'order',
          kind: 'count',
          aggregation,
          frequency,
          scope,
          rise: null,
          currency: null,
          assistant_access: false,
        } as const;
        const made = await orRefused(() =>
          createMetric(
            warehouse,
            this.id,
            { ...definition, target, label_key: labelled ? 'region' : null },
            { actor: ADMIN, now },
          ),
        );
        this.metrics.push(made);
        this.#imports.push(made === null ? null : new ToldImport(this.#test, this.id, made));
        return made !== null;
      }
      case 'repick': {
        const metric = this.metrics[step.metric];
        if (metric === undefined || metric === null) return true;
        const changes = { scope: this.#scopeOf({ picks: step.picks, team: null }) };
        const made = await orRefused(() =>
          updateMetric(warehouse, this.id, metric.id, changes, { actor: ADMIN, now }),
        );
        if (made !== null) this.metrics[step.metric] = made;
        return made !== null;
      }
      case 'load': {
        const target = { orgId: this.id, source: await this.#source(step.source, now) };
        return (await orRefused(() => loadFeed(this.#test, target, step, now))) !== null;
      }
      case 'begin source':
        await updateCostSource(
          warehouse,
          this.id,
          (await this.#source(step.source, now)).id,
          { starts_on: step.startsOn },
          { actor: ADMIN, now },
        );
        return true;
      case 'delete source':
        await updateCostSource(warehouse, this.id, (await this.#source(step.source, now)).id, 'delete', {
          actor: ADMIN,
          now,
        });
        return true;
      case 'end unit':
      case 'confirm unit':
      case 'tell on bill': {
        const place = { orgId: this.id, sourceId: (await this.#source(step.source, now)).id };
        return decide(warehouse, place, step, { actor: ADMIN, now });
      }
      case 'connect':
      case 'disconnect':
      case 'begin run':
      case 'end run': {
        const isDone = (await this.#imports[step.metric]?.does(step)) ?? true;
        await sealBills(warehouse, this.id, now);
        return isDone;
      }
      case 'set values': {
        const write = (metric: Metric) => {
          const { values } = validItems(metric, sentValues(step.values, metric), AFTER_ALL_STORIES);
          return writeValues(warehouse, { orgId: this.id, metricId: metric.id }, values, { ...CHANGE, now });
        };
        return this.#changesByHand(
          step.metric,
          step.isBehind === true ? (metric) => onClockBehind(() => write(metric)) : write,
          now,
        );
      }
      case 'remove values': {
        const { start, end } = step;
        const range = { start, end, label: step.label === null ? null : labelText.parse(step.label) };
        const remove = (metric: Metric) =>
          removeValues(warehouse, { orgId: this.id, metricId: metric.id }, range, { ...CHANGE, now });
        return this.#changesByHand(step.metric, remove, now);
      }
      case 'settle': {
        const months = await settleMonths(warehouse, this.id, now);
        await sealBills(warehouse, this.id, now);
        return months;
      }
      case 'lock':
        return this.#ofMetric(step.metric, (metric) =>
          this.#lock(metric, step.month, now, step.acceptMissing),
        );
      case 'read bills':
        await sealBills(warehouse, this.id, now);
        return true;
      case 'reseal': {
        const by = { actor: ADMIN, now };
        const done = await orRefused(() =>
          resealBills(warehouse, this.stored, step.month, { reason: 'looked at again', by }),
        );
        return done !== null;
      }
      default:
        return this.teams.does(step, { actor: ADMIN, now });
    }
  }

  /**
   * Tries to lock every month of every metric, at first without accepting missing spend. What the product promises not to lock, it
   * must not lock either way. Returns what succeeded, in the form of `can_lock`, with the spend that the version lacks.
   */
  async locksEveryMonth(on: Day, promised: readonly (readonly LockOutcome[])[]): Promise<LockOutcome[][]> {
    const tried = [];
    for (const [index, metric] of this.metrics.filter((one) => one !== null).entries()) {
      const months: LockOutcome[] = [];
      for (const [place, month] of ALL_MONTHS.toReversed().entries()) {
        const lock = (acceptMissing: boolean) => this.#lock(metric, month, noon(on), acceptMissing);
        // Who cannot lock although it accepts what is missing, cannot lock without.
        const isPromised = promised[index]?.[place]?.can_lock !== 'no';
        const can_lock =
          isPromised && (await lock(false)) ? 'now' : (await lock(true)) ? 'without_missing' : 'no';
        const [version] =
          can_lock === 'no' ? [] : await listMonthVersions(this.#warehouse, this.id, metric.id, month);
        months.push({ can_lock, missing: version?.missing ?? [] });
      }
      tried.push(months);
    }
    return tried;
  }

  #lock(metric: Metric, month: Month, now: Date, acceptMissing: boolean): Promise<MonthRecord | null> {
    return orRefused(() =>
      lockMonth(this.#warehouse, this.stored, metric, month, { actor: KEY, now, acceptMissing }),
    );
  }

  #scopeOf({ picks, team }: Pick<StoryMetric, 'picks' | 'team'>): Metric['scope'] {
    if (team !== null) return { type: 'team', team_id: this.teams.idOf(team) };
    return picks === null ? { type: 'organisation' } : { type: 'spend', spend: metricPicks.parse(picks) };
  }

  /** Runs work on a metric, if the metric exists. Returns false if the product rejects the work. */
  async #ofMetric(index: number, work: (metric: Metric) => Promise<object | null>): Promise<boolean> {
    const metric = this.metrics[index];
    return metric === undefined || metric === null || (await work(metric)) !== null;
  }

  /** Changes values, unless an import owns them. The evaluation of events, which follows each change, seals bills. */
  async #changesByHand(
    index: number,
    change: (metric: Metric) => Promise<object>,
    now: Date,
  ): Promise<boolean> {
    const isOwned = (await this.#imports[index]?.isConnected()) === true;
    const isAccepted = !isOwned && (await this.#ofMetric(index, (metric) => orRefused(() => change(metric))));
    await sealBills(this.#warehouse, this.id, now);
    return isAccepted;
  }

  /** Returns the source. Makes it at its first use. */
  async #source(name: SourceName, now: Date): Promise<CostSource> {
    const key = sourceKey(name);
    const known = this.#sources.get(key);
    if (known !== undefined) return known;
    const isPaused = this.#organisation.paused.some((paused) => sourceKey(paused) === key);
    const options = { on_bill: this.#organisation.onBill[key] ?? 'auto' };
    const source = {
      name: key,
      schedule_paused: isPaused,
      ...(name.kind === 'focus'
        ? BILL_FORMS[this.#organisation.forms[key] ?? 'focus'].source
        : { kind: name.kind, options }),
    } as Parameters<typeof newSource>[2];
    const made = await newSource(this.#warehouse, this.id, source, now);
    this.#sources.set(key, made);
    return made;
  }
}

/** Returns the first day of the equally long range before. */
export const previousStart = ({ start, end }: { start: Day; end: Day }): Day =>
  addDays(start, -1 - (Date.parse(end) - Date.parse(start)) / 86_400_000);
