import { setTimeout as sleep } from 'node:timers/promises';
import { as, Refusal, type Client, type Run } from '../client/client.ts';
import { CrashJournal, type SentValue } from './crash-journal.ts';
import { place, type Restatement } from './crash-exports.ts';
import type { Random } from './random.ts';

const MILLISECONDS_PER_DAY = 86_400_000;
const FIRST_DAY = Date.UTC(1000, 0, 1) / MILLISECONDS_PER_DAY;
const MOST_VALUES = 5;
/** A client then only replaces values, so that a check reads no more than a page. */
const MOST_DAYS = 900;
const PAUSE_MS = 100;

/** Why a run fails that several kills have hit in the same step. The provider then asks again for the same version. */
const SET_ASIDE = /^the service has ended \d+ times/;

const dayText = (index: number): string =>
  new Date((FIRST_DAY + index) * MILLISECONDS_PER_DAY).toISOString().slice(0, 10);

/** A process that serves the API. */
export interface ApiNode {
  url: string;
  /** Whether its kill has been sent. Its requests may break off only then. */
  isKilled: () => boolean;
}

/** One round, from start to kill. */
export interface Life {
  /** Returns the node for the next request, or null if no node serves. */
  node: () => ApiNode | null;
  /** Whether the round has ended, so that nothing more is sent. */
  isOver: () => boolean;
  /** Whether a node may answer 503 because others were killed. The same request is then sent again. */
  mayRefuse: boolean;
  /** Reports a violation. */
  violation: (text: string) => void;
}

/** Runs a request of a node. Returns its result, or null if the node was killed or was allowed to refuse it. */
export async function attempt<Result>(
  { node, isOver, mayRefuse, violation }: Life,
  request: (node: ApiNode) => Promise<Result>,
): Promise<Result | null> {
  let chosen = node();
  for (; chosen === null && !isOver(); chosen = node()) await sleep(PAUSE_MS);
  if (chosen === null) return null;
  try {
    return await request(chosen);
  } catch (error) {
    const brokeOff = error instanceof TypeError && chosen.isKilled();
    const wasRefused = error instanceof Refusal && error.status === 503 && mayRefuse;
    if (!brokeOff && !wasRefused) violation(`a request failed: ${String(error)}`);
    await sleep(PAUSE_MS);
    return null;
  }
}

/** A client that sends values of its own metric, never the same number twice, and records every response. */
export class ValueClient {
  readonly journal = new CrashJournal();
  readonly metricId: string;
  readonly #secret: string;
  readonly #random: Random;
  #days = 0;
  #numbers = 0;

  constructor(metricId: string, secret: string, random: Random) {
    this.metricId = metricId;
    this.#secret = secret;
    this.#random = random;
  }

  /** Sends until the round is over. Sends some requests that failed again, and others not. */
  async send(life: Life): Promise<void> {
    while (!life.isOver()) {
      const batch = this.#next();
      const isStored = await this.#sendUntilStored(life, batch);
      if (!isStored) {
        this.journal.doubt(batch);
        return;
      }
      this.journal.acknowledge(batch);
      await sleep(this.#random.between(0, 20));
    }
  }

  async #sendUntilStored(life: Life, batch: readonly SentValue[]): Promise<boolean> {
    const values = batch.map(({ period, value }) => ({ period, value }));
    do {
      const answer = await attempt(life, (node) =>
        as(node, this.#secret).post<object>(`/metrics/${this.metricId}/values`, { values }),
      );
      if (answer !== null) return true;
    } while (!life.isOver() && this.#random.between(1, 2) === 1);
    return false;
  }

  /** Returns the service's values of the metric, read page by page. */
  async stored(service: Pick<ApiNode, 'url'>): Promise<Map<string, number>> {
    const values = await as(service, this.#secret).all<{ period: string; value: number }>(
      `/metrics/${this.metricId}/values`,
    );
    return new Map(values.map(({ period, value }) => [period, value]));
  }

  /** Returns the next batch. Most of the first batches have new days, and one in five replaces existing days. */
  #next(): SentValue[] {
    const count = this.#random.between(1, MOST_VALUES);
    const replaces =
      this.#days > MOST_DAYS || (this.#days > MOST_VALUES && this.#random.between(1, 5) === 1);
    const first = replaces ? this.#random.between(0, this.#days - count) : this.#days;
    if (!replaces) this.#days += count;
    return Array.from({ length: count }, (_, index) => {
      const period = dayText(first + index);
      this.#numbers += 1;
      return { period, value: this.#numbers };
    });
  }
}

/** A provider that repeatedly restates its export and starts an ingest. After a kill it continues where it was. */
export class RestatingProvider {
  readonly #sourceId: string;
  readonly #secret: string;
  readonly #location: string;
  readonly #versions: readonly Restatement[];
  #placed = -1;
  #published = -1;
  #asked = false;
  #lastRun: string | null = null;
  #ended = 0;
  completed = 0;

  constructor(sourceId: string, secret: string, location: string, versions: readonly Restatement[]) {
    this.#sourceId = sourceId;
    this.#secret = secret;
    this.#location = location;
    this.#versions = versions;
  }

  /** The restatements that `GET /costs` may show now: the last completed one, or the one that is being ingested. */
  get possible(): Restatement[] {
    return [this.#published, this.#placed].flatMap((version) => this.#versions[version] ?? []);
  }

  /** Restates until the round is over, or with `once` until the current restatement is completed. */
  async restate(life: Life, once = false): Promise<void> {
    while (!life.isOver()) {
      const ended = this.#ended;
      await attempt(life, (node) => this.#continue(as(node, this.#secret), life.violation));
      if (once && this.#ended > ended) return;
    }
  }

  /** Asks for the next run, or looks whether the last one has ended. */
  async #continue(api: Client, violation: (text: string) => void): Promise<void> {
    if (!this.#asked) await this.#askForNext(api);
    const run = await this.#newestRun(api);
    if (run === null || run.run_id === this.#lastRun || run.status === 'running') {
      await sleep(50);
      return;
    }
    if (run.status === 'completed') {
      this.completed += 1;
      this.#published = this.#placed;
    } else if (!SET_ASIDE.test(run.error ?? '')) violation(`run ${run.run_id} failed: ${run.error ?? ''}`);
    this.#ended += 1;
    this.#lastRun = run.run_id;
    this.#asked = false;
  }

  /** Returns the ids of the runs that have not ended. */
  async unfinishedRuns(service: Pick<ApiNode, 'url'>): Promise<string[]> {
    const runs = await as(service, this.#secret).all<Run>(`/cost-sources/${this.#sourceId}/runs`);
    return runs.filter(({ status }) => status === 'running').map(({ run_id }) => run_id);
  }

  /**
   * Starts an ingest of the next version. Places it only after a run has completed the version before, so that it is known which
   * version was completed. Sends a request that broke off again for the same version, because it may have started a run.
   */
  async #askForNext(api: Client): Promise<void> {
    if (this.#placed === this.#published) {
      const next = (this.#placed + 1) % this.#versions.length;
      const version = this.#versions[next];
      if (version === undefined) throw new Error('no versions');
      this.#placed = next;
      await place(version, this.#location);
    }
    try {
      await api.post(`/cost-sources/${this.#sourceId}/ingest`);
      this.#asked = true;
    } catch (error) {
      if (!(error instanceof Refusal) || error.status !== 409) throw error;
      // Another run is active: the one of an earlier request, or the one before, which is about to end.
      const run = await this.#newestRun(api);
      if (run !== null && run.run_id !== this.#lastRun) this.#asked = true;
      else await sleep(PAUSE_MS);
    }
  }

  async #newestRun(api: Client): Promise<Run | null> {
    const [run] = await api.get<Run[]>(`/cost-sources/${this.#sourceId}/runs?limit=1`);
    return run ?? null;
  }
}
