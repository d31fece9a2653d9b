import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { as, newMetric, newOrganisation, newSource } from '../client/client.ts';
import type { Service } from '../client/service.ts';
import { alone, type Measurement } from '../measurement.ts';
import { say } from '../say.ts';
import { FIRST_DAY, LAST_DAY, makeRestatements } from './crash-exports.ts';
import { attempt, RestatingProvider, ValueClient, type ApiNode, type Life } from './crash-load.ts';
import type { Random } from './random.ts';

/** The instant at which the clocks of all processes stand. */
export const CLOCK = '2026-04-10T12:00:00Z';

const CLIENTS = 4;
const VERSIONS = 8;
const LOOK_PAUSE_MS = 250;
const LAST_RUN_SECONDS = 180;
const SHOWN_VIOLATIONS = 20;

interface Costs {
  total: number;
  by_day: { day: string; total: number }[];
}

type Url = Pick<ApiNode, 'url'>;

/** An organisation under load: clients that send values, a provider that restates its export, and a reader of its costs. */
export class CrashWorld {
  readonly violations: string[] = [];
  readonly #clients: readonly ValueClient[];
  readonly #provider: RestatingProvider;
  readonly #secret: string;

  private constructor(clients: readonly ValueClient[], provider: RestatingProvider, secret: string) {
    this.#clients = clients;
    this.#provider = provider;
    this.#secret = secret;
  }

  /** Creates the organisation, and its exports with `rows` lines in a directory. */
  static async create(
    service: Pick<Service, 'url' | 'dataDir'>,
    { directory, rows, random }: { directory: string; rows: number; random: Random },
  ): Promise<CrashWorld> {
    const versions = await makeRestatements(directory, rows, VERSIONS);
    const secret = await newOrganisation(service);
    const admin = as(service, secret);
    const clients = [];
    for (let client = 1; client <= CLIENTS; client += 1)
      clients.push(new ValueClient(await newMetric(admin, `metric ${client}`), secret, random));
    const location = join(directory, 'export.csv');
    const provider = new RestatingProvider(await newSource(admin, location), secret, location, versions);
    return new CrashWorld(clients, provider, secret);
  }

  /** Puts load on the nodes until the round is over. */
  async load(life: Life): Promise<void> {
    await Promise.all([
      ...this.#clients.map((client) => client.send(life)),
      this.#provider.restate(life),
      this.#watchCosts(life),
    ]);
  }

  /** Checks every value and the costs through each node. Nothing may send values meanwhile. */
  async check(nodes: readonly Url[], violation: (text: string) => void): Promise<void> {
    const [first, ...others] = nodes;
    if (first === undefined) throw new Error('expected a node');
    for (const client of this.#clients) {
      const stored = await client.stored(first);
      client.journal.check(stored).forEach(violation);
      for (const other of others)
        if (!isSame(stored, await client.stored(other))) violation('two nodes show different values');
    }
    const before = await this.#readCosts(first, violation);
    const elsewhere = [];
    for (const other of others) elsewhere.push(await this.#readCosts(other, violation));
    // An ingest may publish between two reads, but not between equal reads of one node.
    const isUnchanged = before.total === (await this.#readCosts(first, violation)).total;
    if (isUnchanged && elsewhere.some(({ total }) => total !== before.total))
      violation(`two nodes show different costs: ${[before, ...elsewhere].map(({ total }) => total).join(', ')}`);
  }

  /** Checks that a last run ends, that no run is left, and everything once more. */
  async finish(nodes: readonly Url[], violation: (text: string) => void): Promise<void> {
    const [first] = nodes;
    if (first === undefined) throw new Error('expected a node');
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      violation(`a run did not end within ${LAST_RUN_SECONDS} s`);
    }, LAST_RUN_SECONDS * 1000);
    const node = { url: first.url, isKilled: () => false };
    await this.#provider.restate({ node: () => node, isOver: () => late, mayRefuse: false, violation }, true);
    clearTimeout(timer);
    for (const run of await this.#provider.unfinishedRuns(first)) violation(`run ${run} never ended`);
    await this.check(nodes, violation);
  }

  /** One line about the work so far. */
  get summary(): string {
    return `${this.#writes} acknowledged writes, ${this.#provider.completed} ingests completed, ${this.violations.length} violations`;
  }

  /** Prints the first violations, and returns what every crash benchmark measures. */
  measurements(benchmark: string): Measurement[] {
    for (const violation of this.violations.slice(0, SHOWN_VIOLATIONS)) say(`VIOLATION ${violation}`);
    const named = { benchmark, unit: 'count', target: null } as const;
    return [
      alone({ ...named, name: 'acknowledged writes' }, this.#writes),
      alone({ ...named, name: 'ingests completed' }, this.#provider.completed),
      alone({ ...named, name: 'violations', target: 0 }, this.violations.length),
    ];
  }

  get #writes(): number {
    return this.#clients.reduce((writes, { journal }) => writes + journal.writes, 0);
  }

  /** Reads the costs all the time, because a check sees them only at rest. */
  async #watchCosts(life: Life): Promise<void> {
    while (!life.isOver()) {
      await attempt(life, (node) => this.#readCosts(node, life.violation));
      await sleep(LOOK_PAUSE_MS);
    }
  }

  /** Reads the costs of a node. They must equal a restatement that was published during the read, to the last digit. */
  async #readCosts(node: Url, violation: (text: string) => void): Promise<Costs> {
    const before = this.#provider.possible;
    const costs = await as(node, this.#secret).get<Costs>(`/costs?start_date=${FIRST_DAY}&end_date=${LAST_DAY}`);
    const isWhole = [...before, ...this.#provider.possible].some(
      ({ byDay }) =>
        byDay.size === costs.by_day.length && costs.by_day.every(({ day, total }) => byDay.get(day) === total),
    );
    // There may be no spend before the first run is completed.
    const isNone = costs.by_day.length === 0 && this.#provider.completed === 0;
    if (!isWhole && !isNone) violation(`GET /costs returns ${costs.total}, which is not a published restatement`);
    return costs;
  }
}

const isSame = (one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): boolean =>
  one.size === other.size && [...one].every(([period, value]) => other.get(period) === value);
