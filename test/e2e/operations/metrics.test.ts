import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../../temporal/dev-server/spawn-dev-server.ts';
import { PRODUCT, tableBelow } from '../../docs/page.ts';
import { dayLine, focusCsv } from '../../support/exports/focus-export.ts';
import { newReceiver } from '../../support/fakes/webhook-receiver.ts';
import { create } from '../../support/service/create.ts';
import { ingest, newOrganisation, waitFor, type Api } from '../../support/service/api-client.ts';
import { expectData } from '../../support/service/envelope.ts';
import { scrape, type Scrape } from '../../support/service/scrape.ts';
import { newDataDir, removeDataDir, startService } from '../../support/service/service-process.ts';
import { withService } from '../../support/service/with-service.ts';
import { withOpened } from '../../support/with-opened.ts';

/** What an operator sees of a service in Prometheus. The time is 7 February 2026, 06:00. */
const SETTINGS = { CLOCK: '2026-02-07T06:00:00Z', PRIVATE_TARGETS: '127.0.0.1' };
const DAY = 86_400;

const DEPLOY = join(PRODUCT, 'deploy');
const PACKAGE = await readFile(join(PRODUCT, 'package.json'), 'utf8');

let operatorUrl: string;
const receiver = withOpened(newReceiver);
let organisation: { id: string; secret: string; admin: Api };
let sourceId: string;
let seen: Scrape;

const service = withService(async () => {
  const port = await freePort();
  operatorUrl = `http://127.0.0.1:${port}`;
  return { ...SETTINGS, METRICS_PORT: String(port) };
});

beforeAll(async () => {
  organisation = await newOrganisation(service, { name: 'Name of a customer' });
  const { admin } = organisation;
  const location = join(service.dataDir, 'bill.csv');
  await writeFile(location, focusCsv([dayLine('2026-01-30', '640.25'), dayLine('2026-01-31', '260.25')]));
  const bill = { name: 'Name of a source', kind: 'focus', location };
  sourceId = await create(admin, '/cost-sources', bill);
  expect((await ingest(admin, sourceId)).status).toBe('completed');
  const missing = { name: 'Missing', kind: 'focus', location: join(service.dataDir, 'missing.csv') };
  const missingId = await create(admin, '/cost-sources', missing);
  expect((await ingest(admin, missingId)).status).toBe('failed');
  const webhook = expectData(await admin.post<{ id: string }>('/webhooks', { url: receiver.url }));
  expectData(await admin.post(`/webhooks/${webhook.id}/test`));
  seen = await waitFor(async () => {
    const now = await scrape(operatorUrl);
    const isDelivered = now.value('cost_analytics_event_deliveries_total', { result: 'delivered' }) === 1;
    const hasEnded =
      now.value('cost_analytics_workflow_runs_total', { workflow: 'deliverWebhook', result: 'completed' }) ===
      1;
    return isDelivered && hasEnded ? now : undefined;
  });
});

describe('the metrics of a service', () => {
  it('show how old the newest delivered day of each source is', () => {
    // 31 January has ended 6 days and 6 hours ago. The other source has delivered nothing.
    expect(seen.samples('cost_analytics_source_newest_day_age_seconds')).toEqual([
      {
        labels: { organisation: organisation.id, source: sourceId, schedule: 'daily' },
        value: 6.25 * DAY,
      },
    ]);
  });

  it('name no organisation on the port of the API, where nobody needs a key', async () => {
    const open = await scrape(service.url);
    expect(open.value('cost_analytics_source_runs_total', { kind: 'focus', result: 'completed' })).toBe(1);
    expect(['org_', 'src_'].filter((id) => open.text.includes(id))).toEqual([]);
  });

  it('count runs by workflow, kind of source and result', () => {
    const runs = (result: string) =>
      seen.value('cost_analytics_workflow_runs_total', { workflow: 'ingestCosts', result });
    expect([runs('completed'), runs('failed'), runs('cancelled')]).toEqual([1, 1, 0]);
    const ofKind = (result: string) =>
      seen.value('cost_analytics_source_runs_total', { kind: 'focus', result });
    expect([ofKind('completed'), ofKind('failed')]).toEqual([1, 1]);
    expect(seen.value('cost_analytics_lost_runs_total')).toBe(0);
  });

  it('measure activities, statements, and the wait for sessions', () => {
    const ofLoads = (result: string) =>
      seen.value('cost_analytics_activity_duration_seconds_count', { activity: 'loadExport', result });
    expect([ofLoads('completed'), ofLoads('failed')]).toEqual([1, 1]);
    expect(seen.value('cost_analytics_activity_queue_seconds_count', { activity: 'loadExport' })).toBe(2);
    // Local activities have no queue.
    expect(seen.samples('cost_analytics_activity_queue_seconds_count', { activity: 'openRun' })).toEqual([]);
    const statements = (kind: string) =>
      seen.value('cost_analytics_statement_duration_seconds_count', { kind }) ?? 0;
    for (const kind of ['read', 'write', 'commit', 'other']) expect(statements(kind)).toBeGreaterThan(0);
    // Each write has a commit, and some share one.
    expect(statements('commit')).toBeLessThanOrEqual(statements('write'));
    expect(seen.value('cost_analytics_session_wait_seconds_count')).toBeGreaterThan(0);
  });

  it('show the places, breakdowns and the size of the warehouse', () => {
    const places = (work: string) => seen.value('cost_analytics_places', { work });
    expect(['light_requests', 'heavy_requests', 'commits', 'activities'].map(places)).toEqual([
      32, 6, 256, 4,
    ]);
    expect(seen.value('cost_analytics_places_waiting', { work: 'heavy_requests' })).toBe(0);
    expect(seen.value('cost_analytics_warehouse_breakdowns_total')).toBe(0);
    expect(seen.value('cost_analytics_warehouse_bytes', { engine: 'duckdb' })).toBeGreaterThan(10_000);
    // A DuckDB file has no such parts.
    expect(seen.samples('cost_analytics_warehouse_snapshots')).toEqual([]);
  });

  it('show the version, the free space, and no backup before the first', () => {
    const { version } = JSON.parse(PACKAGE) as { version: string };
    expect(seen.samples('cost_analytics_build_info')).toEqual([{ labels: { version }, value: 1 }]);
    expect(seen.value('cost_analytics_disk_free_bytes', { folder: 'data' })).toBeGreaterThan(0);
    for (const name of ['cost_analytics_backup_age_seconds', 'cost_analytics_backup_result'])
      expect([name, seen.names.has(name), seen.samples(name)]).toEqual([name, true, []]);
  });

  it('have no name that a customer gave, no amount and no secret', () => {
    for (const text of ['Name of', '640.25', '900.5', organisation.secret, receiver.url, 'bill.csv'])
      expect(seen.text).not.toContain(text);
  });
});

describe('the table of metrics in the documentation', () => {
  it('has every metric of the product', async () => {
    const page = await readFile(join(PRODUCT, 'docs/operation.md'), 'utf8');
    const shown = tableBelow(page, '### Metrics').map(([name = '']) => name.replaceAll('`', ''));
    const own = [...seen.text.matchAll(/^# TYPE ((?:cost_analytics|http|api)_\w+)/gm)].map(
      ([, name]) => name,
    );
    expect(shown.filter((name) => !name.includes('…')).sort()).toEqual(own.sort());
  });
});

describe('a worker process', () => {
  it('serves its metrics on a port of their own, if it has one', async () => {
    const port = await freePort();
    const worker = await startService({
      dataDir: await newDataDir(),
      command: ['worker'],
      environment: { ...SETTINGS, METRICS_PORT: String(port) },
    });
    const url = `http://127.0.0.1:${port}`;
    expect(await (await fetch(`${url}/livez`)).json()).toEqual({ status: 'ok' });
    expect((await scrape(url)).value('cost_analytics_places', { work: 'activities' })).toBe(4);
    expect((await fetch(`${url}/api/v1/health`)).status).toBe(404);
    expect(await worker.stop()).toBe(0);
    await expect(fetch(`${url}/livez`)).rejects.toThrow();
    await removeDataDir(worker.dataDir);
  });
});

describe('the files in deploy/', () => {
  /** Functions and words of PromQL, which are no names of metrics. */
  const WORDS =
    /^(sum|max|min|avg|count|rate|increase|histogram_quantile|by|le|time|on|or|and|unless|clamp_min|topk|absent|label_values)$/;

  /** Returns the names of metrics in an expression. */
  const namesIn = (expression: string): string[] => {
    const bare = expression
      .replace(/"(?:[^"\\]|\\.)*"/g, '')
      .replace(/\{[^}]*\}|\[[^\]]*\]/g, '')
      .replace(/\b(?:by|on|without|group_left|group_right)\s*\([^)]*\)/g, '');
    return [...bare.matchAll(/\b[a-z_][a-z0-9_:]*\b/gi)]
      .map(([name]) => name)
      .filter((name) => !WORDS.test(name));
  };

  const expressionsIn = async (): Promise<string[]> => {
    const dashboard = JSON.parse(await readFile(join(DEPLOY, 'grafana/cost-analytics.json'), 'utf8')) as {
      panels: { targets?: { expr: string }[] }[];
      templating: { list: { query?: unknown }[] };
    };
    const rules = await readFile(join(DEPLOY, 'prometheus/alerts.yaml'), 'utf8');
    return [
      ...dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
      ...[...rules.matchAll(/^ +expr: (.+)$/gm)].map(([, expr = '']) => expr),
    ];
  };

  it('name only metrics that a service has', async () => {
    // If another folder has expressions, the test must read them.
    expect((await readdir(DEPLOY)).sort()).toEqual([
      ...['compose.single.yaml', 'grafana', 'helm', 'prometheus', 'systemd'],
    ]);
    const names = new Set((await expressionsIn()).flatMap(namesIn));
    // Prometheus itself makes it.
    names.delete('up');
    expect(names.size).toBeGreaterThan(15);
    expect([...names].filter((name) => !seen.names.has(name))).toEqual([]);
  });

  it('read only series of the scrape job', async () => {
    for (const expression of await expressionsIn()) {
      const series = expression.match(
        /\b(?:up|(?:cost_analytics|http|api|process|nodejs)_\w+)(?:\{[^}]*\})?/g,
      );
      expect([expression, series?.filter((one) => !one.includes('{job="'))]).toEqual([expression, []]);
    }
  });
});
