import type { Day, Month } from '../../../domain/shared/calendar.ts';
import type { ImportRun } from '../../../warehouse/imports/import-runs.ts';
import { findImport } from '../../../warehouse/imports/imports.ts';
import type { Metric } from '../../../warehouse/metrics/metrics.ts';
import type { TestWarehouse } from '../../support/warehouse/engines.ts';
import { importSteps, type Row } from '../../warehouse/imports/import-story.ts';
import type { ImportStep, RunEnd, StoryValue } from '../organisation-story.ts';
import { orRefused } from './told-refusals.ts';

/** The import of a metric in the product, without a platform. */
export class ToldImport {
  readonly #metric: Metric;
  readonly #steps: ReturnType<typeof importSteps>;
  #underWay: ImportRun | null = null;

  /** Whether the import owns the metric's values. */
  readonly isConnected: () => Promise<boolean>;

  constructor(test: TestWarehouse, orgId: string, metric: Metric) {
    this.#metric = metric;
    this.#steps = importSteps(test, orgId, metric);
    this.isConnected = async () => (await findImport(test.warehouse, orgId, metric.id)) !== null;
  }

  /** Runs a step. Returns false if the product rejects it. */
  async does(step: ImportStep & { on: Day }): Promise<boolean> {
    const now = new Date(`${step.on}T12:00:00Z`);
    switch (step.does) {
      case 'connect':
        await this.#steps.connect(now);
        await this.#supersede(now);
        await this.#begin(null, now);
        return true;
      case 'disconnect':
        if (!(await this.#steps.disconnect(now))) return false;
        await this.#supersede(now);
        return true;
      case 'begin run':
        if (!(await this.isConnected())) return false;
        await this.#begin(step.startMonth, now);
        return true;
      case 'end run':
        await this.#end(step.ends, step.values, now);
        return true;
    }
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
