import { beforeEach, describe, expect, it } from 'vitest';
import { ingestSource } from '../../../../activities/sources/ingest-source.ts';
import type { Vendor } from '../../../../domain/sources/vendors/vendors.ts';
import { usagePoints } from '../../../../domain/sources/otlp/usage-points.ts';
import { exportRequest } from '../../../../domain/sources/otlp/export-request.ts';
import { parsePrivateTargets } from '../../../../egress/requests/private-targets.ts';
import { COST_SOURCES } from '../../../../warehouse/sources/cost-sources.ts';
import type { LoadScope } from '../../../../warehouse/sources/publishing/load.ts';
import { storePoints } from '../../../../warehouse/sources/usage/store-points.ts';
import { otlpRequest } from '../../../support/exports/otlp-metrics.ts';
import { ADMIN_KEY, MODEL_KEY, startFakeAnthropic } from '../../../support/fakes/vendors/fake-anthropic.ts';
import { CURSOR_KEY, startFakeCursor } from '../../../support/fakes/vendors/fake-cursor.ts';
import {
  GITHUB_TOKEN,
  startFakeGitHub,
  WEAK_GITHUB_TOKEN,
  type GitHubItem,
} from '../../../support/fakes/vendors/fake-github.ts';
import type { VendorAnswer, VendorServer } from '../../../support/fakes/vendors/vendor-server.ts';
import { openDuckDb } from '../../../support/warehouse/engines.ts';
import { currentRows, ingestOf, loading } from '../../../support/warehouse/feeds.ts';
import { newOrganisation, newSource, NOW } from '../../../support/warehouse/tenant.ts';
import { withOpened } from '../../../support/with-opened.ts';

/** Spend and usage from the vendors of AI tools. It is 7 February 2026, so that 6 February is the last whole day. */
const test = withOpened(openDuckDb);

interface Story {
  vendor: Vendor;
  location: string;
  token: string | null;
  currency?: string;
}

/** Makes a source of a vendor, and returns what runs it and what it has loaded. */
async function newStory({ vendor, location, token, currency = 'USD' }: Story) {
  const { id: orgId } = await newOrganisation(test.warehouse, { currency });
  const { id: sourceId } = await newSource(test.warehouse, orgId, {
    kind: 'ai_tools',
    location,
    options: { vendor },
  });
  return {
    orgId,
    sourceId,
    ingest: async (changes: Partial<LoadScope> = {}, targets = '127.0.0.1') => {
      const source = await COST_SOURCES.find(test.warehouse, orgId, sourceId);
      if (source === null) throw new Error('the source is gone');
      return loading(test, (sessions) => {
        const ingest = ingestOf(test, sessions, { orgId, sourceId }, changes);
        return ingestSource(source, {
          ...ingest,
          currency,
          rules: { ...ingest.rules, privateTargets: parsePrivateTargets(targets) },
          credentials: token === null ? null : { type: 'token', token },
        });
      });
    },
    /** Returns the days with spend. */
    spend: async (): Promise<[day: string, tool: string, cost: number][]> => {
      const rows = await currentRows<{ day: string; tool: string; cost: string }>(
        test,
        orgId,
        'ai_tool_spend',
        'day, tool, cost',
      );
      return rows
        .map(({ day, tool, cost }): [string, string, number] => [day, tool, Number(cost)])
        .filter(([, , cost]) => cost !== 0);
    },
    usage: async (): Promise<[day: string, repository: string | null, usage: number][]> => {
      const rows = await currentRows<{ day: string; repository: string | null; usage: string }>(
        test,
        orgId,
        'ai_usage',
        'day, repository, usage',
      );
      return rows.map(({ day, repository, usage }) => [day, repository, Number(usage)]);
    },
  };
}

describe('GitHub', () => {
  const items: GitHubItem[] = [];
  const github = withOpened(() => startFakeGitHub(items));
  beforeEach(() => {
    github.instead = null;
    github.calls.length = 0;
    items.splice(
      0,
      items.length,
      { day: '2025-03-10', report: 'premium_request', gross: 4, net: 1.6 },
      { day: '2026-02-03', gross: 12.3, net: 10.25 },
      { day: '2026-02-05', gross: 1, net: 0.7 },
      { day: '2026-02-05', gross: 0.5, net: 0.35 },
      { day: '2026-02-06', product: 'Spark', gross: 2, net: 2 },
      { day: '2026-02-07', gross: 99, net: 99 },
    );
  });
  const story = (changes: Partial<Story> = {}) =>
    newStory({
      vendor: 'github',
      location: `${github.url}/organizations/acme`,
      token: GITHUB_TOKEN,
      ...changes,
    });

  it('is read as far back as it answers, by day, without today, and only what it bills is spend', async () => {
    const { ingest, spend, usage } = await story();
    const { costTotal, notes } = await ingest();
    expect(await spend()).toEqual([
      ['2025-03-10', 'copilot', 1.6],
      ['2026-02-03', 'copilot', 10.25],
      ['2026-02-05', 'copilot', 1.05],
      ['2026-02-06', 'spark', 2],
    ]);
    expect(Number(costTotal)).toBe(14.9);
    expect(await usage()).toContainEqual(['2026-02-05', null, 1.5]);
    expect(notes).toEqual([
      'tool "copilot" has spend but no usage in 2025-03, 2026-02: that spend belongs to no repository',
      'tool "spark" has spend but no usage in 2026-02: that spend belongs to no repository',
    ]);
    // 25 months of both reports; of March 2025 and the two reports' newest months also each day.
    expect(github.calls.filter(({ query }) => !query.has('day'))).toHaveLength(50);
    expect(github.calls.filter(({ query }) => query.has('day'))).toHaveLength(31 + 6);
  });

  it('is asked again for the last three days only, whose spend may go, and earlier days stay', async () => {
    const { ingest, spend } = await story();
    await ingest();
    github.calls.length = 0;
    items.splice(
      0,
      items.length,
      { day: '2026-02-03', gross: 1, net: 1 },
      { day: '2026-02-06', gross: 3, net: 3 },
    );
    await ingest();
    expect(github.calls.map(({ query }) => query.get('day'))).toEqual(['4', '5', '6', '4', '5', '6']);
    expect(await spend()).toEqual([
      ['2025-03-10', 'copilot', 1.6],
      ['2026-02-03', 'copilot', 10.25],
      ['2026-02-06', 'copilot', 3],
    ]);
  });

  it('is asked for all days since the last delivery, and for the months that a run names', async () => {
    const { ingest } = await story();
    await ingest();
    github.calls.length = 0;
    await ingest({ now: new Date('2026-02-12T06:00:00Z') });
    expect(github.calls.filter(({ query }) => query.get('day') === '7')).toHaveLength(1);
    github.calls.length = 0;
    await ingest({ startMonth: '2025-03', endMonth: '2025-03' });
    expect(github.calls.map(({ query }) => query.get('month'))).toEqual(
      Array.from({ length: 33 }, () => '3'),
    );
  });

  it('has enterprises, too', async () => {
    const { ingest, spend } = await story({ location: `${github.url}/enterprises/acme/` });
    await ingest();
    expect(await spend()).toHaveLength(4);
  });

  it('may have only one of the reports', async () => {
    github.instead = ({ path }) =>
      path.includes('premium_request') ? { status: 404, body: { message: 'Not Found' } } : undefined;
    const { ingest, spend } = await story();
    await ingest();
    expect(await spend()).toHaveLength(3);
  });

  it('that has billed nothing is a note', async () => {
    items.length = 0;
    const { ingest } = await story();
    expect((await ingest()).notes).toEqual(['GitHub has billed nothing for 2024-02-01 to 2026-02-06']);
  });

  it('gets the time that it asks for', async () => {
    const refusals: VendorAnswer[] = [
      { status: 429, headers: { 'retry-after': '1' }, body: { message: 'slow down' } },
      {
        status: 403,
        headers: {
          'x-ratelimit-remaining': '0',
          'x-ratelimit-reset': String(Math.ceil(Date.now() / 1_000) + 1),
        },
        body: { message: 'API rate limit exceeded' },
      },
    ];
    const { ingest, spend } = await story();
    let before = 0;
    const waits: number[] = [];
    github.instead = () => {
      waits.push(performance.now() - before);
      before = performance.now();
      return refusals.shift();
    };
    await ingest();
    expect(await spend()).toHaveLength(4);
    expect(waits[1]).toBeGreaterThan(990);
  });

  const part = JSON.stringify({ timePeriod: { year: 2026, month: 2, day: 6 }, usageItems: [] }).slice(0, 40);
  it.each<[string, Partial<Story>, VendorAnswer | null, RegExp]>([
    [
      'a wrong token',
      { token: 'github_pat_wrong' },
      null,
      /^location: GitHub answered 401 .* replace the cred.*"Administration" \(read\)/,
    ],
    [
      'a token without the right',
      { token: WEAK_GITHUB_TOKEN },
      null,
      /answered 403 .* lacks a right.*"Administration" \(read\)/,
    ],
    ['no token', { token: null }, null, /^credentials: expected \{"type":"token"/],
    [
      'a token that it answers with',
      {},
      { status: 401, body: `Bad credentials ${GITHUB_TOKEN}` },
      /answered 401/,
    ],
    [
      'an answer for another time',
      {},
      { body: { timePeriod: { year: 2026 }, usageItems: [] } },
      /answered for another time/,
    ],
    [
      'an answer without amounts',
      {},
      { body: { usageItems: [{ product: 'Copilot' }] } },
      /usageItems\.0\.netAmount/,
    ],
    ['a part of an answer', {}, { body: part }, /answered 200 .* with a part of JSON/],
    ['another currency', { currency: 'EUR' }, null, /bills in USD, and the organisation's currency is EUR/],
  ])('with %s says what to do, and changes nothing', async (_what, changes, answer, message) => {
    const { ingest, spend } = await story(changes);
    github.instead = () => answer ?? undefined;
    const error = await ingest().then(
      () => 'it was loaded',
      (failure: unknown) => String(failure instanceof Error ? failure.message : failure),
    );
    expect(error).toMatch(message);
    expect(error).not.toContain('github_pat');
    expect(await spend()).toEqual([]);
  });

  it('without the organisation says what to do', async () => {
    const { ingest } = await story({ location: `${github.url}/organizations/other` });
    await expect(ingest()).rejects.toThrow(
      /answered 404: there is no organizations "other", or the token cannot/,
    );
  });

  it('that fails halfway leaves what was loaded before', async () => {
    const { ingest, spend } = await story();
    await ingest();
    const before = await spend();
    items.push({ day: '2026-02-04', gross: 50, net: 50 });
    github.instead = ({ path }) =>
      path.includes('premium_request') ? { status: 401, body: { message: 'Bad credentials' } } : undefined;
    await expect(ingest()).rejects.toThrow('answered 401');
    expect(await spend()).toEqual(before);
    github.instead = null;
    await ingest();
    expect(await spend()).toHaveLength(before.length + 1);
  });

  it('gets no token at a host that is neither its own nor listed by the operator', async () => {
    const { ingest } = await story({ location: 'https://192.0.2.1/organizations/acme' });
    await expect(ingest()).rejects.toThrow(/PRIVATE_TARGETS/);
    const elsewhere = await story({ location: 'https://93.184.215.14/organizations/acme' });
    await expect(elsewhere.ingest()).rejects.toThrow(
      /^location: "93\.184\.215\.14" is no host of GitHub, and gets no token; .*PRIVATE_TARGETS/,
    );
  });
});

describe('Anthropic', () => {
  const anthropic = withOpened(() =>
    startFakeAnthropic(
      [
        { day: '2025-12-31', cents: '150.25' },
        { day: '2026-02-03', cents: '1234.56789', workspace: 'wrkspc_code' },
        { day: '2026-02-03', cents: '65.43211' },
        { day: '2026-02-05', cents: '-10', workspace: 'wrkspc_code' },
      ],
      [
        { day: '2026-02-03', email: 'ada@acme.example', cents: 700 },
        { day: '2026-02-03', email: 'bob@acme.example', cents: 50.5 },
      ],
    ),
  );
  beforeEach(() => {
    anthropic.instead = null;
    anthropic.calls.length = 0;
  });
  const story = (changes: Partial<Story> = {}) =>
    newStory({ vendor: 'anthropic', location: anthropic.url, token: ADMIN_KEY, ...changes });

  it('is read page by page; its cents are exact, and what it estimates is usage without repository', async () => {
    const { ingest, spend, usage } = await story();
    const { notes } = await ingest();
    expect(await spend()).toEqual([
      ['2025-12-31', 'claude-code', 1.5025],
      ['2026-02-03', 'claude-code', 13],
      ['2026-02-05', 'claude-code', -0.1],
    ]);
    expect(await usage()).toEqual([['2026-02-03', null, 7.505]]);
    expect(notes).toEqual([
      'tool "claude-code" has spend but no usage in 2025-12, 2026-02: that spend belongs to no repository',
    ]);
    const analytics = anthropic.calls.filter(({ path }) => path.endsWith('/claude_code'));
    expect(analytics.map(({ query }) => query.get('starting_at'))).toEqual([
      '2025-12-31',
      '2026-02-03',
      '2026-02-05',
    ]);
  });

  it('can be one workspace', async () => {
    const { ingest, spend } = await story({ location: `${anthropic.url}/workspaces/wrkspc_code` });
    await ingest();
    expect(await spend()).toEqual([
      ['2026-02-03', 'claude-code', 12.3456789],
      ['2026-02-05', 'claude-code', -0.1],
    ]);
  });

  it('is divided by the usage that programs send, in place of its own', async () => {
    const { orgId, sourceId, ingest, usage } = await story();
    await ingest();
    const sent = (repository: string, value: number) =>
      usagePoints(
        exportRequest.parse(
          otlpRequest([{ at: '2026-02-03T12:00:00Z', value }], { resource: { repo: repository } }),
        ),
        'repo',
        NOW,
      ).points;
    await storePoints(test.warehouse, orgId, sourceId, [...sent('github.com/acme/web', 3), ...sent('', 1)]);
    await ingest();
    expect(await usage()).toEqual([
      ['2026-02-03', 'github.com/acme/web', 3],
      ['2026-02-03', null, 1],
    ]);
  });

  it.each<[string, Partial<Story>, VendorAnswer | null, RegExp]>([
    ['a key for models', { token: MODEL_KEY }, null, /^location: Anthropic answered 403 .*an Admin API key/],
    [
      'a wrong key',
      { token: 'sk-ant-admin01-wrong' },
      null,
      /^location: Anthropic answered 401 .*an Admin API key/,
    ],
    [
      'a missing page',
      {},
      { body: { data: [], has_more: true, next_page: null } },
      /has more of cost_report, but names no next page/,
    ],
    [
      'the same page again',
      {},
      { body: { data: [], has_more: true, next_page: 'page_1' } },
      /names no next page/,
    ],
    [
      'another currency',
      {},
      {
        body: {
          data: [{ starting_at: '2026-02-03T00:00:00Z', results: [{ amount: '1', currency: 'EUR' }] }],
          has_more: false,
        },
      },
      /bills 2026-02-03 in "EUR", expected USD/,
    ],
    [
      'amounts as numbers',
      {},
      {
        body: {
          data: [{ starting_at: '2026-02-03T00:00:00Z', results: [{ amount: 1, currency: 'USD' }] }],
          has_more: false,
        },
      },
      /data\.0\.results\.0\.amount/,
    ],
    [
      'a day twice',
      {},
      {
        body: {
          data: Array.from({ length: 2 }, () => ({ starting_at: '2026-02-03T00:00:00Z', results: [] })),
          has_more: false,
        },
      },
      /answered 2026-02-03 twice/,
    ],
  ])('with %s says what to do, and changes nothing', async (_what, changes, answer, message) => {
    const { ingest, spend } = await story(changes);
    anthropic.instead = () => answer ?? undefined;
    await expect(ingest()).rejects.toThrow(message);
    expect(await spend()).toEqual([]);
  });
});

describe('Cursor', () => {
  const cursor = withOpened(() =>
    startFakeCursor([
      { at: '2025-11-20T08:00:00Z', cents: 5 },
      { at: '2026-02-05T00:00:00Z', cents: 21.36232 },
      { at: '2026-02-05T12:00:00Z', cents: 37.33 },
      { at: '2026-02-05T23:59:59.999Z', cents: 8, isIncluded: true },
      { at: '2026-02-06T10:00:00Z', cents: 0 },
    ]),
  );
  beforeEach(() => {
    cursor.instead = null;
    cursor.calls.length = 0;
  });
  const story = (changes: Partial<Story> = {}) =>
    newStory({ vendor: 'cursor', location: `${cursor.url}/`, token: CURSOR_KEY, ...changes });

  it('is read page by page, and what the plan includes is usage but no spend', async () => {
    const { ingest, spend, usage } = await story();
    await ingest();
    expect(await spend()).toEqual([
      ['2025-11-20', 'cursor', 0.05],
      ['2026-02-05', 'cursor', 0.5869232],
    ]);
    // 21.36232 + 37.33 + 8 cents, with six decimals.
    expect(await usage()).toContainEqual(['2026-02-05', null, 0.666923]);
  });

  it.each<[string, Partial<Story>, ((server: VendorServer) => void) | null, RegExp]>([
    ['a wrong key', { token: 'key_wrong' }, null, /^location: Cursor answered 401 .*a key of the Admin API/],
    [
      'fewer events than it counts',
      {},
      (server) => {
        server.instead = () => ({
          body: { totalUsageEventsCount: 3, pagination: { hasNextPage: false }, usageEvents: [] },
        });
      },
      /has 3 events from .*, and answered 0/,
    ],
    [
      'the same page again',
      {},
      (server) => {
        server.instead = ({ body }) =>
          body['page'] === 2
            ? { body: { pagination: { hasNextPage: false, currentPage: 1 }, usageEvents: [] } }
            : undefined;
      },
      /was asked for page 2, and did not answer it/,
    ],
    [
      'events of other days',
      {},
      (server) => {
        server.instead = () => ({
          body: { pagination: { hasNextPage: false }, usageEvents: [{ timestamp: '1', chargedCents: 1 }] },
        });
      },
      /answered 1970-01-01/,
    ],
  ])('with %s says what to do, and changes nothing', async (_what, changes, answer, message) => {
    const { ingest, spend } = await story(changes);
    answer?.(cursor);
    await expect(ingest()).rejects.toThrow(message);
    expect(await spend()).toEqual([]);
  });
});
