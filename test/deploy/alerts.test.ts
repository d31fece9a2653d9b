import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { PRODUCT } from '../docs/page.ts';
import { lacking } from '../support/needs.ts';

const run = promisify(execFile);

const RULES = join(PRODUCT, 'deploy/prometheus/alerts.yaml');

/** How often there is a sample, and when the alerts are looked at. Some alerts are about days. */
const SOON = { spacing: '1m', look: '2h' };
const LATE = { spacing: '30m', look: '75h' };

/** More samples than any test looks at. */
const SAMPLES = 160;

/** One value all the time. */
const always = (value: number): string => `${value}x${SAMPLES}`;

/** A counter that grows by this much with each sample, and begins at 0. */
const growing = (by: number): string => `0+${by}x${SAMPLES}`;

/** An age in seconds with a sample each half hour, which begins at `days`. */
const aging = (days: number): string => `${days * 86_400}+1800x${SAMPLES}`;

/** Series by their name and labels, without the job. */
type Series = Readonly<Record<string, string>>;

/** A histogram in which all observations are above a bound, or all below. */
const histogram = (name: string, labels: string, bound: string, isAbove: boolean): Series => ({
  [`${name}_bucket{${labels}le="${bound}"}`]: growing(isAbove ? 0 : 10),
  [`${name}_bucket{${labels}le="14400"}`]: growing(10),
  [`${name}_bucket{${labels}le="+Inf"}`]: growing(10),
});

const requests = (status: number, by: number): Series => ({
  [`http_request_duration_seconds_count{status="${status}", route="/"}`]: growing(by),
});

/** For each alert, series that raise it and no other, and similar ones that raise none. */
const ALERTS: Readonly<Record<string, { raising: Series; quiet: Series; times?: typeof SOON }>> = {
  Down: {
    raising: { 'up{instance="a"}': always(0) },
    quiet: { 'up{instance="a"}': always(1), cost_analytics_backup_age_seconds: always(60) },
  },
  SourceStale: {
    times: LATE,
    raising: {
      'cost_analytics_source_newest_day_age_seconds{organisation="o", source="s", schedule="daily"}':
        aging(0),
    },
    quiet: {
      'cost_analytics_source_newest_day_age_seconds{organisation="o", source="s", schedule="paused"}':
        aging(9),
    },
  },
  RunsFail: {
    raising: { 'cost_analytics_source_runs_total{kind="focus", result="failed"}': growing(1) },
    quiet: { 'cost_analytics_source_runs_total{kind="focus", result="completed"}': growing(1) },
  },
  RunsLost: {
    raising: { cost_analytics_lost_runs_total: growing(1) },
    quiet: { cost_analytics_lost_runs_total: always(7) },
  },
  WorkflowsFail: {
    raising: { 'cost_analytics_workflow_runs_total{workflow="settleMonths", result="failed"}': growing(1) },
    // These runs have an alert of their own.
    quiet: { 'cost_analytics_workflow_runs_total{workflow="ingestCosts", result="failed"}': growing(1) },
  },
  EventsGivenUp: {
    raising: { 'cost_analytics_event_deliveries_total{result="given_up"}': growing(1) },
    quiet: { 'cost_analytics_event_deliveries_total{result="attempt_failed"}': growing(1) },
  },
  QueueSlow: {
    raising: histogram('cost_analytics_activity_queue_seconds', '', '900', true),
    quiet: histogram('cost_analytics_activity_queue_seconds', '', '900', false),
  },
  StatementsSlow: {
    raising: histogram('cost_analytics_statement_duration_seconds', 'kind="read", ', '2.5', true),
    quiet: histogram('cost_analytics_statement_duration_seconds', 'kind="write", ', '2.5', true),
  },
  SessionsShort: {
    raising: histogram('cost_analytics_session_wait_seconds', '', '1', true),
    quiet: histogram('cost_analytics_session_wait_seconds', '', '1', false),
  },
  WarehouseBrokeDown: {
    raising: { cost_analytics_warehouse_breakdowns_total: growing(1) },
    quiet: { cost_analytics_warehouse_breakdowns_total: always(1) },
  },
  // 6 of 100 fail, and 4 of 100.
  RequestsFail: {
    raising: { ...requests(200, 94), ...requests(500, 6) },
    quiet: { ...requests(200, 96), ...requests(503, 4) },
  },
  RequestsWait: {
    raising: { 'cost_analytics_places_waiting{instance="a", work="heavy_requests"}': always(21) },
    quiet: { 'cost_analytics_places_waiting{instance="a", work="activities"}': always(21) },
  },
  BackupFailed: {
    raising: { cost_analytics_backup_result: always(0) },
    quiet: { cost_analytics_backup_result: always(1) },
  },
  // After 75 hours the first is as old, and the second is from an hour ago.
  BackupOld: {
    times: LATE,
    raising: { cost_analytics_backup_age_seconds: aging(0) },
    quiet: { cost_analytics_backup_age_seconds: always(3_600) },
  },
  NeverBackedUp: {
    times: LATE,
    raising: { 'up{instance="a"}': always(1) },
    quiet: { 'up{instance="a"}': always(1), 'cost_analytics_backup_age_seconds{instance="a"}': always(60) },
  },
  DiskShort: {
    raising: { 'cost_analytics_disk_free_bytes{instance="a", folder="data"}': always(2 ** 31 - 1) },
    quiet: { 'cost_analytics_disk_free_bytes{instance="a", folder="data"}': always(2 ** 31) },
  },
  VersionsDiffer: {
    raising: {
      'cost_analytics_build_info{instance="a", version="0.1.0"}': always(1),
      'cost_analytics_build_info{instance="b", version="0.2.0"}': always(1),
    },
    quiet: {
      'cost_analytics_build_info{instance="a", version="0.2.0"}': always(1),
      'cost_analytics_build_info{instance="b", version="0.2.0"}': always(1),
    },
  },
  SealedTextsUnreadable: {
    raising: { 'cost_analytics_sealed_texts{state="unreadable"}': always(1) },
    quiet: {
      'cost_analytics_sealed_texts{state="opened"}': always(9),
      'cost_analytics_sealed_texts{state="unreadable"}': always(0),
    },
  },
  RotationUnfinished: {
    times: LATE,
    raising: { 'cost_analytics_sealed_texts{state="previous"}': always(1) },
    quiet: { 'cost_analytics_sealed_texts{state="previous"}': always(0) },
  },
  // 120 within an hour, and 60.
  SignInsRefused: {
    raising: { 'cost_analytics_sign_ins_total{result="refused"}': growing(2) },
    quiet: { 'cost_analytics_sign_ins_total{result="refused"}': growing(1) },
  },
  SignInsLimited: {
    raising: { 'cost_analytics_sign_ins_total{result="limited"}': growing(1) },
    quiet: { 'cost_analytics_sign_ins_total{result="signed_in"}': growing(1) },
  },
};

const OURS = 'cost-analytics';
const OTHERS = 'shop';

/** Returns series of a job in the form of promtool. */
const seriesOf = (job: string, series: Series) =>
  Object.entries(series).map(([name, values]) => ({
    series: name.includes('{') ? name.replace('{', `{job="${job}", `) : `${name}{job="${job}"}`,
    values,
  }));

/** Returns a unit test of promtool: which alerts fire for some series. */
const test = (
  name: string,
  { spacing, look }: typeof SOON,
  series: readonly object[],
  firing: readonly string[],
) => ({
  name,
  interval: spacing,
  input_series: series,
  promql_expr_test: [
    {
      expr: 'max by (alertname) (ALERTS{alertstate="firing"})',
      eval_time: look,
      exp_samples: firing.map((alert) => ({ labels: `{alertname="CostAnalytics${alert}"}`, value: 1 })),
    },
  ],
});

/** Returns the unit tests of the alerts that are looked at at these times. */
const testsOf = (times: typeof SOON) =>
  Object.entries(ALERTS)
    .filter(([, { times: own = SOON }]) => own === times)
    .flatMap(([alert, { raising, quiet }]) => {
      const both = [...seriesOf(OTHERS, raising), ...seriesOf(OURS, quiet)];
      return [
        test(`${alert} is raised`, times, seriesOf(OURS, raising), [alert]),
        test(`${alert} is not raised`, times, seriesOf(OURS, quiet), []),
        test(`${alert} is not raised for another application`, times, both, []),
      ];
    });

const why = lacking('promtool');

describe.skipIf(why !== '')(`the alert rules${why}`, () => {
  const promtool = (...args: string[]) => run(process.env['PROMTOOL'] ?? '', args);

  it('are valid', async () => {
    expect((await promtool('check', 'rules', '--lint-fatal', RULES)).stdout).toContain(
      `SUCCESS: ${Object.keys(ALERTS).length} rules found`,
    );
  });

  it.each([
    ['hours', SOON],
    ['days', LATE],
  ])(
    'raise what is due within %s, and nothing for another application or a quiet service',
    async (_, times) => {
      const folder = await mkdtemp(join(tmpdir(), 'cost-analytics-alerts-'));
      const file = join(folder, 'tests.yaml');
      const tests = testsOf(times);
      // YAML includes JSON.
      await writeFile(
        file,
        JSON.stringify({ rule_files: [RULES], evaluation_interval: times.spacing, tests }),
      );
      expect((await promtool('test', 'rules', file)).stdout).toContain('SUCCESS');
      await rm(folder, { recursive: true });
    },
  );
});

it('each alert rule has its tests', async () => {
  const rules = await readFile(RULES, 'utf8');
  const names = [...rules.matchAll(/- alert: CostAnalytics(\w+)/g)].map(([, name]) => name);
  expect(names.sort()).toEqual(Object.keys(ALERTS).sort());
});
