import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startFakeBigQuery } from '../../support/fakes/bigquery/fake-bigquery.ts';
import { startFakeS3 } from '../../support/fakes/fake-s3.ts';
import { newReceiver } from '../../support/fakes/webhook-receiver.ts';
import { dayLine, focusCsv } from '../../support/exports/focus-export.ts';
import { otlpRequest } from '../../support/exports/otlp-metrics.ts';
import { lacking } from '../../support/needs.ts';
import { operatorKeyOf, PAGE, waitFor } from '../../support/service/api-client.ts';
import { removeDataDir } from '../../support/service/service-process.ts';
import { withService } from '../../support/service/with-service.ts';
import { withOpened } from '../../support/with-opened.ts';
import { newStableText } from './stable-text.ts';

/**
 * The examples of the OpenAPI document (api/document/examples.json) are what one story sends and gets. It is 7 February 2026. The
 * account 1111 costs 10 USD a day and 2222 costs 5, so that January costs 465 USD. With 60 orders a day a unit costs 0.25 USD.
 *
 * After a change of the API, `npx vitest run test/e2e/document -u` writes the examples anew.
 */
/** One of them reads a bucket. */
const why = lacking('extensions');
const EXAMPLES = resolve(import.meta.dirname, '../../../api/document/examples.json');
const QUERY = 'SELECT day, n AS value FROM shop.signups WHERE day BETWEEN @start AND @end';
const RANGE = { start: '2026-01', end: '2026-01' };
const BUCKET_KEY = { access_key_id: 'AKIAIOSFODNN7EXAMPLE', secret_access_key: 'secret-of-the-example' };
const SHOP = { source: 'cloud', cloud: 'aws', account: '1111' };

interface Operation {
  operationId: string;
  requestBody?: unknown;
  responses: Record<string, { content: Record<string, unknown> }>;
}

interface Sent {
  path?: Record<string, string>;
  query?: Record<string, string>;
  body?: unknown;
  headers?: Record<string, string>;
}

interface Example {
  body?: unknown;
  answer: unknown;
}

const bigQuery = withOpened(startFakeBigQuery);
const receiver = withOpened(newReceiver);
const storage = withOpened(() => startFakeS3(new Map(), BUCKET_KEY.access_key_id));
let backups: string;
let stable: ReturnType<typeof newStableText>;
let operations: Map<string, { method: string; path: string; operation: Operation }>;
const examples = new Map<string, Example>();
let key: Record<string, string>;

const service = withService(async () => {
  bigQuery.project.queries.set(QUERY, {
    columns: [
      { name: 'day', type: 'DATE' },
      { name: 'value', type: 'NUMERIC' },
    ],
    rows: (start, end) => [['2026-02-06', '12']].filter(([day = '']) => day >= start && day <= end),
  });
  backups = await mkdtemp(join(tmpdir(), 'cost-analytics-examples-'));
  return {
    CLOCK: '2026-02-07T06:00:00Z',
    PRIVATE_TARGETS: '127.0.0.1',
    BIGQUERY_API_ENDPOINT: bigQuery.url,
  };
});

beforeAll(async () => {
  const { version } = JSON.parse(
    await readFile(resolve(import.meta.dirname, '../../../package.json'), 'utf8'),
  ) as { version: string };
  stable = newStableText({
    [storage.url]: 'https://storage.example.com',
    [receiver.url]: 'https://hooks.example.com/cost-analytics',
    [new URL(receiver.url).host]: 'hooks.example.com',
    [backups]: '/backups',
    [service.dataDir]: '/var/lib/cost-analytics',
    [JSON.stringify(bigQuery.account.key['private_key']).slice(1, -1)]:
      '-----BEGIN PRIVATE KEY-----\\nMIIE\\n-----END PRIVATE KEY-----\\n',
    [`"version":"${version}"`]: '"version":"1.0.0"',
  });
  const document = (await (await fetch(`${service.url}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, Operation>>;
  };
  operations = new Map(
    Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => [
        operation.operationId,
        { method, path, operation },
      ]),
    ),
  );
  key = { 'x-operator-key': await operatorKeyOf(service) };
});

afterAll(async () => {
  await service.stop();
  await removeDataDir(backups);
});

/** Calls a route. Returns its answer, or the text of a file. */
async function call(operationId: string, { path = {}, query = {}, body, headers }: Sent = {}) {
  const route = operations.get(operationId);
  if (route === undefined) throw new Error(`no route is named ${operationId}`);
  const filled = route.path.replace(/\{(\w+)\}/g, (_, name: string) => path[name] ?? '');
  const isText = typeof body === 'string';
  const response = await fetch(`${service.url}${filled}?${new URLSearchParams(query).toString()}`, {
    method: route.method.toUpperCase(),
    headers: {
      ...key,
      ...(body === undefined ? {} : { 'content-type': isText ? 'text/csv' : 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${operationId}: ${response.status} ${text}`);
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  return {
    headers: response.headers,
    answer: isJson ? (JSON.parse(text) as { data: { id: string } & Record<string, unknown> }) : text,
  };
}

/** Calls a route, and keeps what was sent and what came as its example. Returns the data of the answer. */
async function show(operationId: string, sent: Sent = {}) {
  const { answer } = await call(operationId, sent);
  const { body } = sent;
  examples.set(operationId, stable({ ...(body === undefined ? {} : { body }), answer }));
  return typeof answer === 'string' ? { id: '' } : answer.data;
}

/** Makes a cost source beside the examples, and returns its id. */
async function madeSource(body: object): Promise<string> {
  const { answer } = await call('createCostSource', { body });
  return typeof answer === 'string' ? '' : answer.data.id;
}

/** Waits until a field of an answer has a value. */
async function until(operationId: string, sent: Sent, isDone: (data: unknown) => boolean): Promise<void> {
  await waitFor(async () => {
    const { answer } = await call(operationId, sent);
    return typeof answer !== 'string' && isDone(answer.data) ? true : undefined;
  });
}

const january = Array.from({ length: 31 }, (_, index) => `2026-01-${String(index + 1).padStart(2, '0')}`);
const february = Array.from({ length: 6 }, (_, index) => `2026-02-0${index + 1}`);

describe.skipIf(why !== '')(`the examples of the OpenAPI document${why}`, () => {
  it('come from an operator who makes an organisation', async () => {
    const created = await show('createOrganisation', {
      body: { name: 'Acme', tier: 'business', currency: 'USD' },
    });
    const { organisation, key: first } = created as unknown as {
      organisation: { id: string };
      key: { secret: string };
    };
    const path = { id: organisation.id };
    await show('listOrganisations');
    await show('changeOrganisation', { path, body: { tier: 'business', settle_days: 5 } });
    const made = await show('createOrganisationKey', { path, body: { name: 'New admin' } });
    const { id: key_id } = made as unknown as { id: string };
    await show('revokeOrganisationKey', { path: { ...path, key_id } });
    await show('rotateMasterKey');
    await show('getMasterKey');
    await show('startBackup', { body: { to: join(backups, '2026-02-07') } });
    await until('getLastBackup', {}, (data) => (data as { status: string }).status !== 'running');
    await show('getLastBackup');

    const operatorKey = key;
    key = { 'x-api-key': first.secret };
    await show('getHealth');
    await show('getAuthInfo');
    const { headers } = await call('signIn', { body: { key: first.secret } });
    await show('signIn', { body: { key: first.secret } });
    const admin = key;
    key = { cookie: headers.get('set-cookie')?.split(';')[0] ?? '', ...PAGE };
    await show('getSession');
    await show('signOut');
    key = admin;
    await show('getOrganisation');
    await show('updateOrganisation', { body: { name: 'Acme', settle_days: 5 } });
    const { id: keyId } = await show('createKey', {
      body: { name: 'Shop', permission: 'metrics:ingest', expires_at: '2026-12-31T00:00:00Z' },
    });
    await show('listKeys');
    await show('revokeKey', { path: { id: keyId } });

    const folder = join(service.dataDir, 'exports', organisation.id, 'aws');
    await mkdir(folder, { recursive: true });
    for (const [month, days] of Object.entries({ '2026-01': january, '2026-02': february })) {
      const lines = days.flatMap((day) => [
        dayLine(day, '10'),
        dayLine(day, '5', { SubAccountId: '2222', SubAccountName: 'Search' }),
      ]);
      await writeFile(join(folder, `${month}.csv`), focusCsv(lines));
    }
    const bill = { name: 'AWS', kind: 'focus', location: folder, starts_on: '2026-01-01' };
    await show('checkCostSource', { body: bill });
    const { id: source } = await show('createCostSource', { body: bill });
    const ofSource = { path: { id: source } };
    await show('startIngest', { ...ofSource, body: { start_month: '2026-01' } });
    const ended = (data: unknown): boolean => {
      const [newest] = data as { status: string }[];
      if (newest?.status === 'failed') throw new Error(JSON.stringify(newest));
      return newest?.status === 'completed';
    };
    await until('listRuns', ofSource, ended);
    await show('listRuns', { ...ofSource, query: { limit: '1' } });
    key = operatorKey;
    const asOperator = { path: { id: organisation.id, source_id: source } };
    await show('startOrganisationIngest', { ...asOperator, body: { start_month: '2026-01' } });
    await until('listOrganisationRuns', asOperator, ended);
    await show('listOrganisationRuns', { ...asOperator, query: { limit: '1' } });
    key = admin;
    await show('getCostSource', ofSource);
    await show('listCostSources');
    await show('updateCostSource', { ...ofSource, body: { name: 'AWS of Acme' } });
    await show('listCostSourceUnits', ofSource);
    await show('confirmCostSourceUnit', { ...ofSource, body: { unit: 'aws/1111', stands: true } });
    const sent = await madeSource({ name: 'Sent bills', kind: 'focus', location: 'upload' });
    const ofFile = { path: { id: sent, name: 'january.csv' } };
    await show('sendSourceFile', { ...ofFile, body: focusCsv([dayLine('2026-01-31', '10')]) });
    await show('listSourceFiles', ofFile);
    await show('deleteSourceFile', ofFile);
    await show('endCostSourceUnit', { ...ofSource, body: { unit: 'aws/2222', day: '2026-02-06' } });

    const tools = join(service.dataDir, 'exports', organisation.id, 'ai');
    await mkdir(tools, { recursive: true });
    await writeFile(join(tools, 'spend.csv'), 'day,tool,cost\n2025-12-31,claude-code,9\n');
    const aiTools = await madeSource({
      name: 'AI tools',
      kind: 'ai_tools',
      location: tools,
      options: { repository_attribute: 'repository' },
      schedule_paused: true,
    });
    await show('exportUsageMetrics', {
      query: { source: aiTools },
      body: otlpRequest([{ at: '2026-02-06T12:00:00Z', value: 0.25 }], {
        resource: { repository: 'github.com/acme/shop' },
      }),
    });
    await call('deleteCostSource', { path: { id: aiTools } });
  });

  it('come from an admin who reads costs', async () => {
    const days = { start_date: '2026-01-30', end_date: '2026-01-31' };
    await show('getCosts', { query: days });
    await show('getCostBreakdown', { query: { ...days, group_by: 'account,month', limit: '2' } });
    await show('listSpendOptions', { query: { limit: '1' } });
    await show('previewSpend', { body: { spend: [SHOP] } });
    await show('exportSpend', {
      query: { start: '2025-12', end: '2025-12' },
      headers: { accept: 'text/csv' },
    });
  });

  it('come from an admin who locks the unit cost of a month', async () => {
    const metric = {
      name: 'Orders',
      unit: 'order',
      aggregation: 'total',
      frequency: 'daily',
      scope: { type: 'organisation' },
      target: 0.3,
    };
    const { id } = await show('createMetric', { body: metric });
    const path = { id };
    await show('storeValuesFromCsv', {
      path,
      body: `period,value\n${january
        .slice(0, 29)
        .map((day) => `${day},60`)
        .join('\n')}\n`,
    });
    await show('storeValues', {
      path,
      body: {
        values: [
          { period: '2026-01-30', value: 60 },
          { period: '2026-01-31', value: 30 },
        ],
      },
    });
    await show('putValue', { path: { ...path, period: '2026-01-31' }, body: { value: 60 } });
    await call('putValue', { path: { ...path, period: '2026-02-06' }, body: { value: 60 } });
    await show('deleteValues', { path, query: { period: '2026-02-06' } });
    await show('listValues', { path, query: { start: '2026-01-30', limit: '1' } });
    await show('listValueChanges', { path, query: { limit: '1' } });
    await show('updateMetric', { path, body: { target: 0.2 } });
    await show('getWaiting');
    await show('lockMonth', { path: { ...path, month: '2026-01' }, body: { accept_missing: false } });
    await show('getMonthVersions', { path: { ...path, month: '2026-01' } });
    const { answer } = await call('getMetricMonths', { path });
    const months = (answer as unknown as { data: { month: string; unit_cost: number | null }[] }).data;
    expect(months[1]).toMatchObject({ month: '2026-01', cost: 465, value: 1860, unit_cost: 0.25 });
    await show('getMetricMonths', { path });
    await show('getMetric', { path });
    await show('listMetrics');
    await show('getOverview');
    await show('exportMonths', { query: RANGE, headers: { accept: 'text/csv' } });
    await show('exportValues', {
      query: { start: '2025-12', end: '2025-12' },
      headers: { accept: 'text/csv' },
    });
  });

  it('come from an admin who imports values', async () => {
    const metric = {
      name: 'Sign-ups',
      unit: 'sign-up',
      aggregation: 'total',
      frequency: 'daily',
      scope: { type: 'organisation' },
    };
    const { answer } = await call('createMetric', { body: metric });
    const path = { id: (answer as { data: { id: string } }).data.id };
    const { type, project_id, private_key_id, client_email, private_key } = bigQuery.account.key;
    const credentials = { type, project_id, private_key_id, client_email, private_key };
    const body = { type: 'bigquery', project_id: bigQuery.project.id, query: QUERY, credentials };
    const ended = (data: unknown): boolean => {
      const { last_run } = data as { last_run: { status: string } | null };
      return last_run !== null && last_run.status !== 'running';
    };
    await show('checkImport', { path, body });
    await show('connectImport', { path, body });
    await until('getImport', { path }, ended);
    await show('runImport', { path, body: { start_month: '2026-01' } });
    await until('getImport', { path }, ended);
    await show('getImport', { path });
    await show('disconnectImport', { path });
    await show('deleteMetric', { path });
  });

  it('come from an admin who bills teams', async () => {
    const { id } = await show('createTeam', { body: { name: 'Shop', ownership: [SHOP] } });
    const path = { id };
    // The bills of months that had settled before the team seal by themselves, again after each change.
    const sealed = (version: number) =>
      until(
        'getTeamBills',
        { path },
        (data) => (data as { version: number | null }[])[1]?.version === version,
      );
    await sealed(1);
    await show('updateTeam', { path, body: { name: 'Web shop' } });
    await show('setTeamOwnership', { path, body: { ownership: [SHOP] } });
    await show('getTeam', { path });
    await show('listTeams');
    const shared = {
      name: 'Search',
      spend: [{ ...SHOP, account: '2222' }],
      split: { type: 'fixed', shares: [{ team_id: id, percent: 60 }] },
    };
    const { id: sharedId } = await show('createSharedCost', { body: shared });
    await show('listSharedCosts');
    await sealed(2);
    const month = '2026-01';
    const reason = 'The first month with teams';
    await show('resealBills', { path: { month }, body: { reason } });
    await show('getTeamBills', { path });
    await show('getBillVersions', { path: { ...path, month } });
    await show('getBillTotals');
    await show('getMonthBills', { path: { month } });
    await show('exportBills', { query: RANGE, headers: { accept: 'text/csv' } });
    await show('updateSharedCost', { path: { id: sharedId }, body: { name: 'Search engine' } });
    await show('deleteSharedCost', { path: { id: sharedId } });
    const { answer } = await call('createTeam', { body: { name: 'Support' } });
    await show('deleteTeam', { path: { id: (answer as { data: { id: string } }).data.id } });
  });

  it('come from an admin who hears of events', async () => {
    const body = { url: receiver.url, events: ['unit_cost.changed'] };
    const { id } = await show('createWebhook', { body });
    const path = { id };
    await show('updateWebhook', { path, body: { rotate_secret: true } });
    await show('testWebhook', { path });
    await until(
      'listDeliveries',
      { path },
      (data) => (data as { status: string }[])[0]?.status === 'delivered',
    );
    await show('listDeliveries', { path });
    await show('listWebhooks');
    await show('deleteWebhook', { path });
    await show('listAuditLog', { query: { limit: '2' } });
    const { answer } = await call('createCostSource', {
      body: { name: 'Old', kind: 'focus', location: join(service.dataDir, 'exports') },
    });
    const credentials = { type: 's3', ...BUCKET_KEY, endpoint: storage.url };
    const bucket = { name: 'Bucket', kind: 'focus', location: 's3://acme-billing/focus/', credentials };
    const { answer: inBucket } = await call('createCostSource', { body: bucket });
    const source = { id: (inBucket as { data: { id: string } }).data.id };
    await show('setCostSourceCredentials', { path: source, body: credentials });
    await show('deleteCostSourceCredentials', { path: source });
    await call('deleteCostSource', { path: source });
    await show('deleteCostSource', { path: { id: (answer as { data: { id: string } }).data.id } });
  });

  it('come from an operator who deletes an organisation', async () => {
    key = { 'x-operator-key': await operatorKeyOf(service) };
    const { answer } = await call('createOrganisation', { body: { name: 'Leaving', currency: 'USD' } });
    const { data } = answer as unknown as { data: { organisation: { id: string } } };
    const path = { id: data.organisation.id };
    await show('getOrganisationContents', { path });
    await show('deleteOrganisation', { path });
    await show('listOrganisationDeletions');
  });

  it('are there for every body and answer', async () => {
    expect([...examples.keys()].sort()).toEqual([...operations.keys()].sort());
    for (const [operationId, { operation }] of operations)
      expect({ operationId, hasBody: examples.get(operationId)?.body !== undefined }).toEqual({
        operationId,
        hasBody: operation.requestBody !== undefined,
      });
    const sorted = Object.fromEntries([...examples].sort(([one], [other]) => (one < other ? -1 : 1)));
    await expect(`${JSON.stringify(sorted, null, 1)}\n`).toMatchFileSnapshot(EXAMPLES);
  });
});
