import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { ingestSource } from '../../../activities/sources/ingest-source.ts';
import type { IngestInput } from '../../../domain/sources/ingest.ts';
import { COST_SOURCES } from '../../../warehouse/sources/cost-sources.ts';
import { foldPoints } from '../../../warehouse/sources/usage/fold-points.ts';
import { COST, otlpRequest, TOKENS, type TestPoint } from '../../support/exports/otlp-metrics.ts';
import { startLocalApi } from '../../support/service/local-api.ts';
import { describeOnBothEngines } from '../../support/warehouse/engines.ts';
import { ingestOf, loading } from '../../support/warehouse/feeds.ts';
import { newOrganisation, newSource, writeFiles } from '../../support/warehouse/tenant.ts';
import { withOpened } from '../../support/with-opened.ts';

const DELTA = 1;
const CUMULATIVE = 2;
const JSON_BODY = { 'content-type': 'application/json' };

/**
 * Usage that programs send by OpenTelemetry divides the spend of its source. The spend of claude-code (USD):
 * 60 on Friday 30 January, 12 on Thursday 5 February.
 */
describeOnBothEngines('usage by OpenTelemetry', (open, onDuckDb) => {
  const test = withOpened(open);
  const api = withOpened(() => startLocalApi({ shared: test }));

  const SPEND = 'day,tool,cost\n2026-01-30,claude-code,60\n2026-02-05,claude-code,12\n';

  const newStory = async ({ spend = SPEND, usage = null as string | null } = {}) => {
    const { id: orgId } = await newOrganisation(test.warehouse);
    const [spendFile = '', usageFile = ''] = await writeFiles(test, {
      'spend.csv': spend,
      'usage.csv': usage ?? '',
    });
    const { id: sourceId } = await newSource(test.warehouse, orgId, {
      kind: 'ai_tools',
      location: spendFile,
      options: {
        repository_attribute: 'repository',
        ...(usage === null ? {} : { usage_location: usageFile }),
      },
    });
    const [admin, sender] = [
      await api.newKey(orgId),
      await api.newKey(orgId, { permission: 'usage:ingest' }),
    ];
    const post = (payload: string | Buffer | object, headers: Record<string, string> = {}, key = sender) =>
      api.app.inject({
        method: 'POST',
        url: `/api/v1/otlp/v1/metrics?source=${sourceId}`,
        headers: { 'x-api-key': key, ...JSON_BODY, ...headers },
        payload,
      });
    return {
      orgId,
      sourceId,
      post,
      /** Sends points of a repository, and expects that all are taken. */
      send: async (
        repository: string | null,
        points: readonly TestPoint[],
        { temporality = DELTA, metric = COST } = {},
      ): Promise<void> => {
        const resource = repository === null ? {} : { repository: `github.com/acme/${repository}` };
        const answer = await post(otlpRequest(points, { resource, temporality, metric }));
        expect([answer.statusCode, answer.json()]).toEqual([200, {}]);
      },
      ingest: async (changes: Partial<IngestInput> = {}) => {
        const source = await COST_SOURCES.find(test.warehouse, orgId, sourceId);
        if (source === null) throw new Error('the source is gone');
        return loading(test, (sessions) =>
          ingestSource(source, ingestOf(test, sessions, { orgId, sourceId }, changes)),
        );
      },
      call: async <Data = unknown>(method: 'GET' | 'POST', path: string, payload?: object): Promise<Data> => {
        const answer = await api.app.inject({
          method,
          url: `/api/v1${path}`,
          headers: { 'x-api-key': admin },
          ...(payload === undefined ? {} : { payload }),
        });
        const { success, data, error } = answer.json<{ success: boolean; data: Data; error: string }>();
        if (!success) throw new Error(error);
        return data;
      },
      /** Returns what repositories cost on a day; null stands for none. */
      costs: async (day: string): Promise<Record<string, number>> => {
        const answer = await api.app.inject({
          url: `/api/v1/costs/breakdown?start_date=${day}&end_date=${day}&group_by=repository`,
          headers: { 'x-api-key': admin },
        });
        const rows = answer.json<{ data: { total: number; repository: string | null }[] }>().data;
        return Object.fromEntries(
          rows.map(({ total, repository }) => [repository?.replace('github.com/acme/', '') ?? 'none', total]),
        );
      },
    };
  };

  const at = (hour: number, day = '2026-01-30'): string => `${day}T${String(hour).padStart(2, '0')}:00:00Z`;

  it('divides the spend of its day by cost, from the next run of the source', async () => {
    const { send, ingest, costs } = await newStory();
    await ingest();
    expect(await costs('2026-01-30')).toEqual({ none: 60 });
    // 3 + 1 of 8: half. The other half is 3 of api, and 1 of no repository.
    await send('web', [
      { at: at(9), value: 3 },
      { at: at(10), value: 1 },
    ]);
    await send('api', [{ at: at(9), value: 3 }]);
    await send(null, [{ at: at(9), value: 1 }]);
    const { notes } = await ingest();
    expect(notes).toEqual([
      'tool "claude-code" has spend but no usage in 2026-02: that spend belongs to no repository',
    ]);
    expect(await costs('2026-01-30')).toEqual({ web: 30, api: 22.5, none: 7.5 });
    expect(await costs('2026-02-05')).toEqual({ none: 12 });
  });

  it('changes nothing if the same points come again, also from two writers at once', async () => {
    const { send, ingest, costs } = await newStory();
    const web: TestPoint[] = [{ at: at(9), value: 3 }];
    await Promise.all([send('web', web), send('web', web), send('api', [{ at: at(9), value: 1 }])]);
    await ingest();
    expect(await costs('2026-01-30')).toEqual({ web: 45, api: 15 });
    await send('web', web);
    await ingest();
    expect(await costs('2026-01-30')).toEqual({ web: 45, api: 15 });
  });

  it('counts cumulative points by their difference, in any order, and a reset from 0', async () => {
    const { send, ingest, costs } = await newStory();
    const since = at(8);
    // web: 1, then 4, so 4 in all. After a reset with a new start: 2 more. Without a new start, from 2 down to 1: 1 more.
    await send('web', [{ at: at(10), value: 4, start: since }], { temporality: CUMULATIVE });
    await send('web', [{ at: at(9), value: 1, start: since }], { temporality: CUMULATIVE });
    await send(
      'web',
      [
        { at: at(12), value: 2, start: at(11) },
        { at: at(13), value: 1, start: at(11) },
      ],
      { temporality: CUMULATIVE },
    );
    await send('api', [{ at: at(9), value: 7 }]);
    await ingest();
    expect(await costs('2026-01-30')).toEqual({ web: 30, api: 30 });
  });

  it('of a cumulative series over midnight belongs to the days of its points', async () => {
    const { send, ingest, costs } = await newStory();
    const start = at(23, '2026-02-04');
    await send(
      'web',
      [
        { at: at(23, '2026-02-04'), value: 5, start },
        { at: at(1, '2026-02-05'), value: 6, start },
      ],
      { temporality: CUMULATIVE },
    );
    await send('api', [{ at: at(1, '2026-02-05'), value: 3 }]);
    await ingest();
    // 6 - 5 = 1 of web, 3 of api.
    expect(await costs('2026-02-05')).toEqual({ web: 3, api: 9 });
  });

  onDuckDb(() => {
    it('counts tokens on days without cost', async () => {
      const { send, ingest, costs } = await newStory();
      await send('web', [{ at: at(9), value: 500 }], { metric: TOKENS });
      await send('api', [{ at: at(9), value: 1_500 }], { metric: TOKENS });
      await ingest();
      expect(await costs('2026-01-30')).toEqual({ web: 15, api: 45 });
      await send('web', [{ at: at(10), value: 0.01 }]);
      await ingest();
      expect(await costs('2026-01-30')).toEqual({ web: 60 });
    });

    it('of a past month joins its spend in a later run, which reads only the new month', async () => {
      const { send, ingest, costs } = await newStory();
      await ingest();
      await send('web', [{ at: at(9), value: 1 }]);
      await ingest({ startMonth: '2026-02' });
      expect(await costs('2026-01-30')).toEqual({ none: 60 });
      await ingest();
      expect(await costs('2026-01-30')).toEqual({ web: 60 });
    });

    it('that comes late never moves a locked month', async () => {
      const { send, ingest, call, costs } = await newStory();
      await send('web', [{ at: at(9), value: 1 }]);
      await ingest();
      const { id } = await call<{ id: string }>('POST', '/metrics', {
        name: 'Releases',
        unit: 'release',
        aggregation: 'total',
        frequency: 'monthly',
        scope: { type: 'spend', spend: [{ source: 'repository', repository: 'github.com/acme/web' }] },
      });
      await call('POST', `/metrics/${id}/values`, { values: [{ period: '2026-01', value: 6 }] });
      await call('POST', `/metrics/${id}/months/2026-01/lock`, { accept_missing: true });
      await send('api', [{ at: at(9), value: 1 }]);
      await ingest();
      const months = await call<object[]>('GET', `/metrics/${id}/months?start=2026-01&end=2026-01`);
      expect(months).toMatchObject([{ status: 'locked', cost: 60, unit_cost: 10 }]);
      expect(await costs('2026-01-30')).toEqual({ web: 30, api: 30 });
    });

    it('yields to usage from files on their days', async () => {
      const usage = 'day,tool,repository,usage\n2026-01-30,claude-code,github.com/acme/shop,2\n';
      const { send, ingest, costs } = await newStory({ usage });
      await send('web', [
        { at: at(9), value: 1 },
        { at: at(9, '2026-02-05'), value: 1 },
      ]);
      await ingest();
      expect(await costs('2026-01-30')).toEqual({ shop: 60 });
      expect(await costs('2026-02-05')).toEqual({ web: 12 });
    });

    it('keeps the shares of other tools and days that files no longer have', async () => {
      const usage = 'day,tool,repository,usage\n2026-01-30,copilot,github.com/acme/shop,2\n';
      const { send, ingest, costs, orgId, sourceId } = await newStory({
        spend: `${SPEND}2026-01-30,copilot,9\n`,
        usage,
      });
      await ingest();
      const [spendFile = '', usageFile = ''] = await writeFiles(test, {
        'spend.csv': 'day,tool,cost\n2026-02-05,claude-code,12\n',
        'usage.csv': 'day,tool,repository,usage\n2026-02-05,copilot,github.com/acme/shop,2\n',
      });
      const source = await COST_SOURCES.find(test.warehouse, orgId, sourceId);
      if (source?.kind !== 'ai_tools') throw new Error('expected the source');
      await send('web', [{ at: at(9), value: 1 }]);
      await loading(test, (sessions) =>
        ingestSource(
          { ...source, location: spendFile, options: { ...source.options, usage_location: usageFile } },
          ingestOf(test, sessions, { orgId, sourceId }),
        ),
      );
      expect(await costs('2026-01-30')).toEqual({ web: 60, shop: 9 });
    });

    it('is the same after points were folded into sums of days', async () => {
      const { send, ingest, costs, orgId } = await newStory();
      await send('web', [
        { at: at(9), value: 1 },
        { at: at(10), value: 2 },
      ]);
      await send(
        'api',
        [
          { at: at(9), value: 4, start: at(8) },
          { at: at(9, '2026-02-05'), value: 5, start: at(8) },
        ],
        { temporality: CUMULATIVE },
      );
      const rows = async () =>
        Number(
          (
            await test.warehouse.query<{ rows: string }>(
              'SELECT count(*) AS rows FROM usage_points WHERE org_id = $org',
              { org: orgId },
            )
          )[0]?.rows,
        );
      expect(await rows()).toBe(4);
      // On 5 May, 30 January was 95 days ago. The series of api has sent on 5 February, and keeps both points.
      const later = new Date('2026-05-05T06:00:00Z');
      await foldPoints(test.warehouse, later);
      expect(await rows()).toBe(3);
      await foldPoints(test.warehouse, later);
      await ingest();
      // 3 of web, 4 of api; then 1 of api.
      expect(await costs('2026-01-30')).toEqual({ web: 25.714286, api: 34.285714 });
      expect(await costs('2026-02-05')).toEqual({ api: 12 });
      await foldPoints(test.warehouse, new Date('2026-06-05T06:00:00Z'));
      await ingest();
      expect(await costs('2026-02-05')).toEqual({ api: 12 });
    });
  });
});

describe('the route for usage by OpenTelemetry', () => {
  const api = withOpened(() => startLocalApi());

  const newStory = async () => {
    const { orgId, secret } = await api.newTenant();
    const source = await newSource(api.warehouse, orgId, {
      kind: 'ai_tools',
      options: { repository_attribute: 'repository' },
    });
    return { orgId, secret, sourceId: source.id };
  };
  const post = (
    key: string,
    source: string,
    payload: string | Buffer | object,
    headers: Record<string, string> = {},
  ) =>
    api.app.inject({
      method: 'POST',
      url: `/api/v1/otlp/v1/metrics?source=${source}`,
      headers: { authorization: `Bearer ${key}`, ...JSON_BODY, ...headers },
      payload,
    });
  const GOOD = otlpRequest([{ at: '2026-02-06T12:00:00Z', value: 1 }]);

  it('takes gzip, and answers how many points it has rejected', async () => {
    const { secret, sourceId } = await newStory();
    const mixed = otlpRequest([
      { at: '2026-02-06T12:00:00Z', value: 1 },
      { at: '2026-02-06T12:01:00Z', value: -1 },
    ]);
    const answer = await post(secret, sourceId, gzipSync(JSON.stringify(mixed)), {
      'content-encoding': 'gzip',
    });
    expect([answer.statusCode, answer.json()]).toEqual([
      200,
      {
        partialSuccess: {
          rejectedDataPoints: '1',
          errorMessage: 'claude_code.cost.usage: expected a number from 0 to 1e12',
        },
      },
    ]);
  });

  it('is all that a key with usage:ingest may call, beside its own state', async () => {
    const { orgId, sourceId } = await newStory();
    const key = await api.newKey(orgId, { permission: 'usage:ingest' });
    expect((await post(key, sourceId, GOOD)).statusCode).toBe(200);
    const get = async (url: string) =>
      (await api.app.inject({ url: `/api/v1${url}`, headers: { 'x-api-key': key } })).statusCode;
    expect(await get('/auth/info')).toBe(200);
    for (const url of [
      '/metrics?name=x',
      '/cost-sources',
      '/costs?start_date=2026-01-01&end_date=2026-01-31',
    ])
      expect([url, await get(url)]).toEqual([url, 403]);
  });

  it('refuses keys that only read or send values, and sources of others and of other kinds', async () => {
    const [own, other] = [await newStory(), await newStory()];
    for (const permission of ['read', 'metrics:ingest'] as const) {
      const answer = await post(await api.newKey(own.orgId, { permission }), own.sourceId, GOOD);
      expect([answer.statusCode, answer.json()]).toMatchObject([
        403,
        { error: `this needs a key with permission write, admin, usage:ingest; this key has ${permission}` },
      ]);
    }
    expect((await post(own.secret, other.sourceId, GOOD)).statusCode).toBe(404);
    const bill = await newSource(api.warehouse, own.orgId);
    expect((await post(own.secret, bill.id, GOOD)).json()).toMatchObject({
      error: 'source: expected a cost source of kind ai_tools, got one of kind focus',
    });
  });

  const PROTOBUF = { 'content-type': 'application/x-protobuf' };
  it.each([
    ['text', 'no JSON', {}, 400, /body: expected JSON/],
    ['another shape', { resourceMetrics: 'all' }, {}, 400, /resourceMetrics/],
    ['another type', 'a,b', { 'content-type': 'text/csv' }, 415, /expected application\/x-protobuf or/],
    [
      'broken protobuf',
      Buffer.from([0x0a, 0x7f, 0x01]),
      PROTOBUF,
      400,
      /ExportMetricsServiceRequest in protobuf/,
    ],
    ['empty messages', Buffer.alloc(700_000).fill('\n\0'), PROTOBUF, 400, /at most 300000 messages/],
    ['a body that is too large', Buffer.alloc(4 * 2 ** 20 + 1), PROTOBUF, 413, /at most 4 MiB/],
    ['nested lists', '['.repeat(100), {}, 400, /levels of nesting/],
  ])('refuses %s, and stores nothing', async (_what, payload, headers, status, message) => {
    const { orgId, secret, sourceId } = await newStory();
    const answer = await post(secret, sourceId, payload, headers);
    expect(answer.statusCode).toBe(status);
    // A Status of protobuf has its message in field 2, after a tag and the length.
    expect(answer.body).toMatch(message);
    const isProtobuf = headers === PROTOBUF;
    expect(answer.headers['content-type']).toMatch(
      isProtobuf ? 'application/x-protobuf' : 'application/json',
    );
    expect(
      await api.warehouse.query('SELECT point_id FROM usage_points WHERE org_id = $org', { org: orgId }),
    ).toEqual([]);
  });

  it('counts towards the daily limit', async () => {
    const { orgId, secret } = await api.newTenant('starter');
    const { id } = await newSource(api.warehouse, orgId, {
      kind: 'ai_tools',
      options: { repository_attribute: 'repository' },
    });
    const before = await post(secret, id, GOOD);
    const after = await post(secret, id, GOOD);
    const left = (answer: typeof before): number => Number(answer.headers['ratelimit-remaining']);
    expect(left(before) - left(after)).toBe(1);
  });
});
