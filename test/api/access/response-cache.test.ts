import { describe, expect, it } from 'vitest';
import type { Clock } from '../../../domain/shared/clock.ts';
import { updateOrganisation } from '../../../warehouse/organisations/organisations.ts';
import { writeValues } from '../../../warehouse/metrics/write-values.ts';
import type { Metric } from '../../../warehouse/metrics/metrics.ts';
import { UNOBSERVED } from '../../../telemetry/statement-observer.ts';
import { createSharedCost } from '../../../warehouse/teams/shared-costs.ts';
import { createTeam } from '../../../warehouse/teams/teams.ts';
import { startLocalApi } from '../../support/service/local-api.ts';
import { BY_ADMIN, newMetric, NOW } from '../../support/warehouse/tenant.ts';
import { withOpened } from '../../support/with-opened.ts';

describe('cached responses', () => {
  let now = NOW;
  const clock: Clock = { now: () => now };
  const api = withOpened(() => startLocalApi({ clock }));

  const get = (secret: string, path: string, headers: Record<string, string> = {}) =>
    fetch(`${api.url}/api/v1${path}`, { headers: { 'x-api-key': secret, ...headers } });

  const tagOf = async (response: Promise<Response>): Promise<string | null> =>
    (await response).headers.get('etag');

  const newStory = async (changes: Partial<Metric> = {}) => {
    const { orgId, secret } = await api.newTenant();
    const metric = await newMetric(api.warehouse, orgId, changes);
    const write = (value: string) => {
      const by = { type: 'key', id: 'key_1', name: 'Finance' } as const;
      const items = [{ period: '2026-01-31', label: '', value }];
      return writeValues(api.warehouse, { orgId, metricId: metric.id }, items, { source: 'api', by, now });
    };
    return { orgId, secret, path: `/metrics/${metric.id}`, write };
  };

  it('have the tag of their content, and are not sent to a client that has it', async () => {
    const { secret, path, write } = await newStory();
    const first = await get(secret, path);
    const etag = first.headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[\w-]{27}"$/);
    expect(first.headers.get('cache-control')).toBe('private, no-cache');
    expect(first.headers.get('vary')).toBe('Accept, X-API-Key, Cookie');
    const again = await get(secret, path);
    expect(again.headers.get('content-type')).toBe(first.headers.get('content-type'));
    expect(await again.text()).toBe(await first.text());
    for (const sent of [etag, `W/${etag}`, `"other", ${etag}`]) {
      const unchanged = await get(secret, path, { 'if-none-match': sent });
      expect([unchanged.status, await unchanged.text()]).toEqual([304, '']);
      expect(unchanged.headers.get('etag')).toBe(etag);
    }
    expect((await get(secret, path, { 'if-none-match': '"other"' })).status).toBe(200);
    await write('7');
    const changed = await get(secret, path, { 'if-none-match': etag });
    expect([changed.status, changed.headers.get('etag') === etag]).toEqual([200, false]);
    // The first answer after a change can be one that the client has, because something else has changed.
    await write('7');
    const { status } = await get(secret, path, { 'if-none-match': changed.headers.get('etag') ?? '' });
    expect(status).toBe(304);
  });

  it('follow the day, the organisation and the key', async () => {
    const { orgId, secret, path } = await newStory();
    const tag = await tagOf(get(secret, path));
    now = new Date('2026-03-01T00:00:00Z');
    expect(await tagOf(get(secret, path))).not.toBe(tag);
    now = NOW;
    expect(await tagOf(get(secret, path))).toBe(tag);
    // Another organisation does not see the metric, and a plan without it does not either.
    expect((await get((await api.newTenant()).secret, path)).status).toBe(404);
    await updateOrganisation(api.warehouse, orgId, { tier: 'starter' }, BY_ADMIN);
    expect((await get(secret, path)).status).toBe(403);
    expect((await get('ca_wrong', path, { 'if-none-match': tag ?? '' })).status).toBe(401);
  });

  it('count against the quota as all others do', async () => {
    const { orgId, secret, path } = await newStory();
    await updateOrganisation(api.warehouse, orgId, { tier: 'professional' }, BY_ADMIN);
    const remaining = async () => Number((await get(secret, path)).headers.get('ratelimit-remaining'));
    const before = await remaining();
    expect([await remaining(), await remaining()]).toEqual([before - 1, before - 2]);
  });

  it('of spend and of bills outlive the values that they do not depend on', async () => {
    const { orgId, secret, write } = await newStory();
    const splitting = await newMetric(api.warehouse, orgId, { label_key: 'team', frequency: 'monthly' });
    const team = await createTeam(api.warehouse, orgId, { name: 'Shop', ownership: [] }, BY_ADMIN);
    const split = { type: 'metric', metric_id: splitting.id, labels: { shop: team.id } } as const;
    const account = { source: 'cloud', cloud: 'aws', account: '1111' } as const;
    await createSharedCost(api.warehouse, orgId, { name: 'Network', spend: [account], split }, BY_ADMIN);
    const paths = [
      '/waiting',
      '/costs?start_date=2026-01-01&end_date=2026-01-31',
      '/spend/options?source=cloud',
      `/teams/${team.id}/bills`,
      '/teams/bills',
      '/teams/bills/2026-01',
    ];
    /** Returns the paths whose answers are made anew: those that take a statement. */
    const madeAnew = async (): Promise<string[]> => {
      const made: string[] = [];
      for (const each of paths) {
        let statements = 0;
        api.warehouse.observer = {
          ...UNOBSERVED,
          began: (...began) => {
            statements += 1;
            return UNOBSERVED.began(...began);
          },
        };
        await get(secret, each).finally(() => (api.warehouse.observer = UNOBSERVED));
        if (statements > 0) made.push(each);
      }
      return made;
    };
    // The first reads of spend and of bills bring them up to date, which is a change of the others.
    await madeAnew();
    await madeAnew();
    expect(await madeAnew()).toEqual([]);
    await write('8');
    expect(await madeAnew()).toEqual(['/waiting']);
    const by = { type: 'key', id: 'key_1', name: 'Finance' } as const;
    const items = [{ period: '2026-01-01', label: 'shop', value: '1' }];
    const of = { orgId, metricId: splitting.id };
    await writeValues(api.warehouse, of, items, { source: 'api', by, now });
    expect(await madeAnew()).toEqual(['/waiting', ...paths.slice(3)]);
  });

  it('are none of revenue, whose every view the audit log records', async () => {
    const { orgId, secret, path } = await newStory({ kind: 'revenue', currency: 'USD' });
    const views = () =>
      api.warehouse.query(`FROM audit_log WHERE org_id = $org AND action = 'viewed'`, { org: orgId });
    for (const shown of [path, `${path}/months`, '/metrics', '/overview', '/waiting']) {
      const before = (await views()).length;
      expect(await tagOf(get(secret, shown))).toBeNull();
      expect(await tagOf(get(secret, shown))).toBeNull();
      expect((await views()).length).toBe(before + 2);
    }
    // Who sees no revenue gets cached responses of their own, in which it is missing.
    const reader = await api.newKey(orgId, { permission: 'read' });
    const tag = await tagOf(get(reader, '/overview'));
    expect(tag).not.toBeNull();
    expect(await tagOf(get(reader, '/overview'))).toBe(tag);
    expect(await tagOf(get(secret, '/overview'))).toBeNull();
  });

  it('are no errors, and no files', async () => {
    const { secret } = await newStory();
    expect(await tagOf(get(secret, '/metrics/met_none'))).toBeNull();
    const days = '/costs?start_date=2026-01-01&end_date=2026-01-31';
    expect(await tagOf(get(secret, days))).not.toBeNull();
    expect(await tagOf(get(secret, days, { accept: 'text/csv' }))).toBeNull();
  });
});
