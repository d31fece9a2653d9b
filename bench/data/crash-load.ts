import { as, type Client, type Run } from '../client/client.ts';
import { CrashJournal, type SentValue } from './crash-journal.ts';
import { place, type Restatement } from './crash-exports.ts';
import type { Random } from './random.ts';
import type { Service } from '../client/service.ts';

const MILLISECONDS_PER_DAY = 86_400_000;
const FIRST_DAY = Date.UTC(1000, 0, 1) / MILLISECONDS_PER_DAY;
const MOST_VALUES = 5;

const dayText = (index: number): string =>
  new Date((FIRST_DAY + index) * MILLISECONDS_PER_DAY).toISOString().slice(0, 10);

/** One round of the service's life, from start to kill. */
export interface Life {
  service: Pick<Service, 'url'>;
  /** Whether the kill has been sent. Requests may break off only after it. */
  killed: () => boolean;
  /** Reports a violation. */
  violation: (text: string) => void;
}

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resume) => setTimeout(resume, milliseconds));

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

  /** Sends until the service is gone. */
  async send({ service, killed, violation }: Life): Promise<void> {
    const api = as(service, this.#secret);
    while (!killed()) {
      const batch = this.#next();
      try {
        await api.post(`/metrics/${this.metricId}/values`, {
          values: batch.map(({ period, value }) => ({ period, value })),
        });
        this.journal.acknowledge(batch);
      } catch (error) {
        this.journal.doubt(batch);
        if (!killed() || !(error instanceof TypeError)) violation(`a value request failed: ${String(error)}`);
        return;
      }
      await pause(this.#random.between(0, 20));
    }
  }

  /** Returns the service's values of the metric, read page by page. */
  async stored(service: Pick<Service, 'url'>): Promise<Map<string, number>> {
    const values = await as(service, this.#secret).all<{ period: string; value: number }>(
      `/metrics/${this.metricId}/values`,
    );
    return new Map(values.map(({ period, value }) => [period, value]));
  }

  /** Returns the next batch. Most batches have new days, and one in five replaces existing days. */
  #next(): SentValue[] {
    const count = this.#random.between(1, MOST_VALUES);
    const replaces = this.#days > MOST_VALUES && this.#random.between(1, 5) === 1;
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

  /** Restates until the service is gone, or with `once` until the current restatement is completed. */
  async restate({ service, killed, violation }: Life, once = false): Promise<void> {
    const api = as(service, this.#secret);
    while (!killed()) {
      try {
        if (!this.#asked) await this.#askForNext(api);
        const run = await this.#newestRun(api);
        if (run !== null && run.run_id !== this.#lastRun && run.status !== 'running') {
          if (run.status === 'failed') violation(`run ${run.run_id} failed: ${run.error ?? ''}`);
          else this.completed += 1;
          this.#lastRun = run.run_id;
          this.#published = this.#placed;
          this.#asked = false;
          if (once) return;
        } else await pause(50);
      } catch (error) {
        if (!killed() || !(error instanceof TypeError))
          violation(`an ingest request failed: ${String(error)}`);
        return;
      }
    }
  }

  /** Returns the ids of the runs that have not ended. */
  async unfinishedRuns(service: Pick<Service, 'url'>): Promise<string[]> {
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
      if (!(error instanceof Error) || !error.message.includes(': 409 ')) throw error;
      // Another run is active: the one of an earlier request, or the one before, which is about to end.
      const run = await this.#newestRun(api);
      if (run !== null && run.run_id !== this.#lastRun) this.#asked = true;
      else await pause(100);
    }
  }

  async #newestRun(api: Client): Promise<Run | null> {
    const [run] = await api.get<Run[]>(`/cost-sources/${this.#sourceId}/runs?limit=1`);
    return run ?? null;
  }
}
