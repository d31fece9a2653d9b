import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { FairLimiter } from '../domain/shared/fair-limiter.ts';

/** Seconds of requests and statements. */
const SHORT = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Seconds of work that can take hours. */
const LONG = [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3_600, 14_400];

/** How a backup has ended. */
export interface BackupResult {
  /** The instant of which the data is. */
  takenAt: Date;
  endedAt: Date;
  isComplete: boolean;
}

/** Work for which places are limited. */
export type LimitedWork = 'light_requests' | 'heavy_requests' | 'commits' | 'activities';

/**
 * The Prometheus metrics of a process. Labels have ids, names from the code and results: never what a customer has named, an
 * amount or a secret.
 */
export class Metrics {
  readonly registry = new Registry();
  /** Metrics whose labels name organisations. Only METRICS_PORT serves them, because whoever reaches PORT may read the others. */
  readonly ofTenants = new Registry();
  readonly requestDuration = this.#histogram({
    name: 'http_request_duration_seconds',
    help: 'Time to answer a request, by route and status',
    labelNames: ['method', 'route', 'status'],
    buckets: SHORT,
  });
  readonly callsOverQuota = this.#counter({
    name: 'api_calls_over_quota_total',
    help: 'Calls refused because the daily limit of their organisation was reached',
  });
  readonly signIns = this.#counter({
    name: 'cost_analytics_sign_ins_total',
    help: 'Attempts to sign in with a key, by result: signed_in, refused or limited',
    labelNames: ['result'],
  });
  readonly statementDuration = this.#histogram({
    name: 'cost_analytics_statement_duration_seconds',
    help: 'Time of a statement of the warehouse, by kind; of a stream until its reader has read it',
    labelNames: ['kind'],
    buckets: [0.001, ...SHORT, 60],
  });
  readonly sessionWait = this.#histogram({
    name: 'cost_analytics_session_wait_seconds',
    help: 'Time for which work has waited for a session of the warehouse',
    buckets: [0.001, ...SHORT],
  });
  readonly breakdowns = this.#counter({
    name: 'cost_analytics_warehouse_breakdowns_total',
    help: 'Errors that have ended DuckDB, and failed attempts to open the warehouse again',
  });
  readonly workflowRuns = this.#counter({
    name: 'cost_analytics_workflow_runs_total',
    help: 'Workflows that have ended on this worker, by result: completed, failed or cancelled',
    labelNames: ['workflow', 'result'],
  });
  readonly sourceRuns = this.#counter({
    name: 'cost_analytics_source_runs_total',
    help: 'Runs of cost sources and imports that have ended, by kind of source and result: completed or failed',
    labelNames: ['kind', 'result'],
  });
  readonly lostRuns = this.#counter({
    name: 'cost_analytics_lost_runs_total',
    help: 'Runs that have failed because Temporal had ended or lost their workflow',
  });
  readonly activityQueueTime = this.#histogram({
    name: 'cost_analytics_activity_queue_seconds',
    help: 'Time from the scheduling of an activity until its work begins, with its wait for a place',
    labelNames: ['activity'],
    buckets: LONG,
  });
  readonly activityDuration = this.#histogram({
    name: 'cost_analytics_activity_duration_seconds',
    help: 'Time of an attempt of an activity, by result: completed, failed or cancelled',
    labelNames: ['activity', 'result'],
    buckets: LONG,
  });
  readonly eventDeliveries = this.#counter({
    name: 'cost_analytics_event_deliveries_total',
    help: 'Deliveries of events: delivered, given_up, or attempt_failed, after which another attempt may follow',
    labelNames: ['result'],
  });
  readonly #places = new Map<LimitedWork, FairLimiter>();
  #backups: readonly BackupResult[] = [];

  constructor() {
    collectDefaultMetrics({ register: this.registry });
    this.#placesGauge('cost_analytics_places', 'Places for work that is limited', ({ total }) => total);
    this.#placesGauge('cost_analytics_places_taken', 'Places that work has taken', ({ taken }) => taken);
    this.#placesGauge(
      'cost_analytics_places_waiting',
      'Work that waits for a place',
      ({ waiting }) => waiting,
    );
  }

  /** Remembers a backup of this process. */
  noteBackup(result: BackupResult): void {
    this.#backups = [...this.#backups.filter(({ isComplete }) => isComplete !== result.isComplete), result];
  }

  /** The newest backups of this process, complete and failed. */
  get backups(): readonly BackupResult[] {
    return this.#backups;
  }

  /** Reports the places for some work from now on. */
  watchPlaces(work: LimitedWork, places: FairLimiter): void {
    this.#places.set(work, places);
  }

  /**
   * Reports samples that are read at each scrape. If they cannot be read, the scrape leaves them out.
   *
   * @param read returns the labels and the value of each sample.
   * @param registry is `ofTenants` if a label names an organisation.
   */
  gauge<Label extends string>(
    { name, help, labelNames }: { name: string; help: string; labelNames: Label[] },
    read: () => Promise<(readonly [Record<Label, string>, number])[]>,
    registry: Registry = this.registry,
  ): void {
    new Gauge<string>({
      name,
      help,
      labelNames,
      registers: [registry],
      async collect() {
        const samples = await read();
        this.reset();
        // A reset gives a metric without labels the value 0.
        if (labelNames.length === 0) this.remove();
        for (const [labels, value] of samples) this.set(labels, value);
      },
    });
  }

  #placesGauge(name: string, help: string, read: (places: FairLimiter) => number): void {
    this.gauge({ name, help, labelNames: ['work'] }, () =>
      Promise.resolve([...this.#places].map(([work, places]) => [{ work }, read(places)] as const)),
    );
  }

  #counter<Label extends string>(options: { name: string; help: string; labelNames?: Label[] }) {
    return new Counter<Label>({ ...options, registers: [this.registry] });
  }

  #histogram<Label extends string>(options: {
    name: string;
    help: string;
    labelNames?: Label[];
    buckets: number[];
  }) {
    return new Histogram<Label>({ ...options, registers: [this.registry] });
  }
}
