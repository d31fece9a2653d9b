import { describe, expect, it } from 'vitest';
import { audit } from '../../../warehouse/engine/records/audit-log.ts';
import { MOST_PAGE_BYTES } from '../../../warehouse/engine/sql/list-part.ts';
import { startLocalApi } from '../../support/service/local-api.ts';
import { ADMIN, newMetric, NOW } from '../../support/warehouse/tenant.ts';
import { withOpened } from '../../support/with-opened.ts';

/** Limits of an organisation's definitions, and of the size of an answer. */

const api = withOpened(startLocalApi);

interface Answer {
  status: number;
  body: {
    error?: string;
    next_cursor?: string | null;
    data?: { id: string; name?: string; action?: string; detail?: { name: string } }[] & {
      id: string;
      name?: string;
    };
  };
}

async function newClient() {
  const { orgId, secret } = await api.newTenant();
  const send = async (method: string, path: string, body?: unknown): Promise<Answer> => {
    const response = await fetch(`${api.url}/api/v1${path}`, {
      method,
      headers: {
        'x-api-key': secret,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Answer['body'] };
  };
  return { orgId, send };
}

/** Returns labels with about 900 KB of text that all name one team. Each letter has different labels. */
const labels = (letter: string, team: string): Record<string, string> =>
  Object.fromEntries(
    Array.from({ length: 2000 }, (_, index) => [`${letter}${index}`.padEnd(400, 'x'), team]),
  );

/** Makes a metric and a team, and returns splits by them and shared costs of 900 KB for each letter. */
async function newSplits({ orgId, send }: Awaited<ReturnType<typeof newClient>>) {
  const { id: metric_id } = await newMetric(api.warehouse, orgId, { label_key: 'feature' });
  const team = (await send('POST', '/teams', { name: 'Search', ownership: [] })).body.data?.id ?? '';
  const split = (letter: string) => ({ type: 'metric', metric_id, labels: labels(letter, team) });
  const sharedCost = (letter: string) => ({
    name: `Platform ${letter}`,
    spend: [{ source: 'kubernetes', cluster: 'prod', namespace: letter }],
    split: split(letter),
  });
  return { split, sharedCost };
}

/** A metric with 900 KB of picks. */
const METRIC = {
  name: 'Requests',
  unit: 'request',
  aggregation: 'total',
  frequency: 'daily',
  scope: {
    type: 'spend',
    spend: Array.from({ length: 600 }, (_, index) => ({
      source: 'kubernetes',
      cluster: `${index}`.padEnd(480, 'c'),
      namespace: 'n'.repeat(480),
      workload: 'w'.repeat(480),
    })),
  },
};

const TOO_MUCH =
  /^body: expected all metrics, .* together to have at most 4\.00 MiB, got 4\.\d\d MiB with this one/;

describe('a body', () => {
  it('has at most 1 MiB for a definition, and 8 MiB for values', async () => {
    const { orgId, send } = await newClient();
    const large = { ...METRIC, name: 'x'.repeat(2 ** 20) };
    expect(await send('POST', '/metrics', large)).toEqual({
      status: 413,
      body: { success: false, error: 'body: too large, expected at most 1 MiB' },
    });
    const { id } = await newMetric(api.warehouse, orgId, { label_key: 'customer' });
    const values = Array.from({ length: 10_000 }, (_, index) => ({
      period: '2026-01-05',
      label: `${index}`.padEnd(200, 'x'),
      value: 1,
    }));
    const stored = await send('POST', `/metrics/${id}/values`, { values });
    expect(stored).toMatchObject({ status: 200, body: { data: { created: 10_000 } } });
    const tooMany = await send('POST', `/metrics/${id}/values`, { values, more: 'x'.repeat(8 * 2 ** 20) });
    expect(tooMany.body.error).toBe('body: too large, expected at most 8 MiB');
  });
});

describe('all definitions of an organisation', () => {
  it('have at most 4 MiB, even if two requests arrive at once', async () => {
    const client = await newClient();
    const { send } = client;
    const { split, sharedCost } = await newSplits(client);
    const ids: string[] = [];
    for (const letter of ['a', 'b', 'c']) {
      const { status, body } = await send('POST', '/shared-costs', sharedCost(letter));
      expect(status).toBe(200);
      ids.push(body.data?.id ?? '');
    }
    // 2.7 MB are stored, so that only one of these fits.
    const atOnce = await Promise.all([
      send('POST', '/shared-costs', sharedCost('d')),
      send('POST', '/metrics', METRIC),
    ]);
    expect(atOnce.map(({ status }) => status).sort()).toEqual([200, 400]);
    expect(atOnce.find(({ status }) => status === 400)?.body.error).toMatch(TOO_MUCH);
    // A change that makes nothing longer is accepted. A deletion makes room.
    const first = `/shared-costs/${ids[0] ?? ''}`;
    expect((await send('PATCH', first, { split: split('e') })).status).toBe(200);
    expect((await send('POST', '/shared-costs', sharedCost('f'))).body.error).toMatch(TOO_MUCH);
    expect((await send('DELETE', first)).status).toBe(200);
    expect((await send('POST', '/shared-costs', sharedCost('f'))).status).toBe(200);
  });

  it('stay readable and can shrink if earlier ones exceed the limit', async () => {
    const client = await newClient();
    const { orgId, send } = client;
    const { split, sharedCost } = await newSplits(client);
    const { body } = await send('POST', '/shared-costs', sharedCost('a'));
    const id = body.data?.id ?? '';
    const tooMuch = {
      ...split('a'),
      labels: Object.assign({}, ...Array.from('abcde', (letter) => split(letter).labels)) as object,
    };
    await api.warehouse.run(
      `INSERT INTO shared_cost_versions BY NAME
       SELECT * REPLACE (uuidv7() AS version_id, $split::JSON AS split) FROM shared_cost_versions WHERE org_id = $org`,
      { org: orgId, split: JSON.stringify(tooMuch) },
    );
    expect((await send('GET', '/shared-costs')).body.data).toMatchObject([{ split: tooMuch }]);
    const change = (fields: object) => send('PATCH', `/shared-costs/${id}`, fields);
    expect((await change({ name: 'Platform and more' })).body.error).toMatch(TOO_MUCH);
    expect((await send('POST', '/teams', { name: 'Ads', ownership: [] })).body.error).toMatch(TOO_MUCH);
    expect((await change({ name: 'Base' })).status).toBe(200);
    expect((await change({ split: split('b') })).status).toBe(200);
    expect((await send('POST', '/teams', { name: 'Ads', ownership: [] })).status).toBe(200);
  });
});

describe('a page of the audit log', () => {
  it('ends before its records exceed 4 MiB, and the next page continues', async () => {
    const { orgId, send } = await newClient();
    const record = (length: number) =>
      api.warehouse.session((session) =>
        audit(
          session,
          orgId,
          { actor: ADMIN, action: 'team.update', target: 'team_1', detail: { name: 'x'.repeat(length) } },
          NOW,
        ),
      );
    const lengths = [1, 1, ...Array.from({ length: 10 }, () => 900_000), MOST_PAGE_BYTES];
    for (const length of lengths) await record(length);
    const pages: number[][] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: Answer = await send('GET', `/audit-log?limit=1000${cursor && `&cursor=${cursor}`}`);
      pages.push((page.body.data ?? []).map(({ detail }) => detail?.name.length ?? 0));
      cursor = page.body.next_cursor ?? null;
    }
    // The pages have one record larger than a page, four of 0.9 MB, four of 0.9 MB, and the rest.
    expect(pages.map(({ length }) => length)).toEqual([1, 4, 4, 4]);
    expect(pages.flat()).toEqual(lengths.toReversed());
    const one = await send('GET', '/audit-log?limit=2');
    expect(one.body.data).toHaveLength(1);
    const two = await send('GET', `/audit-log?limit=2&cursor=${one.body.next_cursor ?? ''}`);
    expect(two.body.data).toHaveLength(2);
    expect(two.body.next_cursor).not.toBeNull();
  });
});
