import type { ImportRun } from '../../../warehouse/imports/import-runs.ts';
import type { Metric } from '../../../warehouse/metrics/metrics.ts';
import type { TestWarehouse } from '../../support/warehouse/engines.ts';
import { importSteps, type Row } from '../../warehouse/imports/import-story.ts';
import type { Day, Month } from '../../../domain/shared/calendar.ts';
import type { ImportStep, RunEnd, StoryValue } from '../organisation-story.ts';
import { orRefused } from './told-refusals.ts';

/** The import of a metric in the product, without a platform. */
export class ToldImport {
  readonly #metric: Metric;
  readonly #steps: ReturnType<typeof importSteps>;
  #isConnected = false;
  #underWay: ImportRun | null = null;

  constructor(test: TestWarehouse, orgId: string, metric: Metric) {
    this.#metric = metric;
    this.#steps = importSteps(test, orgId, metric);
  }

  get isConnected(): boolean {
    return this.#isConnected;
  }

  /** Runs a step. Returns false if the product rejects it. */
  async does(step: ImportStep & { on: Day }): Promise<boolean> {
    const now = new Date(`${step.on}T12:00:00Z`);
    switch (step.does) {
      case 'connect':
        return (await orRefused(() => this.#connect(now))) !== null;
      case 'disconnect': {
        if (!(await this.#steps.disconnect(now))) return false;
        this.#isConnected = false;
        await this.#supersede(now);
        return true;
      }
      case 'begin run':
        if (!this.#isConnected) return false;
        await this.#begin(step.startMonth, now);
        return true;
      case 'end run':
        await this.#end(step.ends, step.values, now);
        return true;
    }
  }

  async #connect(now: Date): Promise<object> {
    const connection = await this.#steps.connect(now);
    this.#isConnected = true;
    await this.#supersede(now);
    await this.#begin(null, now);
    return connection;
  }

  async #begin(startMonth: Month | null, now: Date): Promise<void> {
    const at = now.toISOString();
    this.#underWay ??= await this.#steps.open({ at, ...(startMonth === null ? {} : { startMonth }) });
  }

  async #end(outcome: RunEnd, values: readonly StoryValue[], now: Date): Promise<void> {
    const opened = this.#underWay;
    this.#underWay = null;
    if (opened === null) return;
    const rows = values.map(({ period, label, value }): Row =>
      this.#metric.label_key === null ? [period, value] : [period, label, value],
    );
    await orRefused(() => this.#steps.close(opened, rows, { at: now.toISOString(), outcome }));
  }

  /** A run with an earlier key stores nothing. */
  async #supersede(now: Date): Promise<void> {
    const period = this.#underWay?.end_day ?? '';
    await this.#end('completed', [{ period, label: 'eu', value: '1000' }], now);
  }
}
