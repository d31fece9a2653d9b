import { once } from 'node:events';
import type { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Orchestration } from '../../../temporal/orchestration.ts';
import { openRaw, startLocalApi, type LocalApi } from '../../support/service/local-api.ts';
import { WAIT_MS } from '../../support/patience.ts';
import { publishSpend } from '../../support/warehouse/published-spend.ts';
import { newSource } from '../../support/warehouse/tenant.ts';

/** What happens before the handler of a route. */
let api: LocalApi;
const evaluate = vi.spyOn(Orchestration.prototype, 'numbersChanged').mockResolvedValue();

beforeAll(async () => {
  api = await startLocalApi();
});

afterAll(() => {
  evaluate.mockRestore();
});

async function tenant() {
  const { orgId, secret } = await api.newTenant();
  const get = async (path: string): Promise<{ status: number; body: unknown }> => {
    const answer = await fetch(`${api.url}/api/v1${path}`, { headers: { 'x-api-key': secret } });
    return { status: answer.status, body: await answer.json() };
  };
  return { orgId, secret, get };
}

async function tenantWithSpend() {
  const made = await tenant();
  const { id: sourceId } = await newSource(api.warehouse, made.orgId);
  await publishSpend(api.warehouse, { orgId: made.orgId, sourceId }, '2026-01', {
    cloud_spend: [{ day: '2026-01-05', cloud: 'aws', account: 'one', cost: '12.5' }],
  });
  return made;
}

describe('a route', () => {
  it('refuses inputs that do not fit each other before it looks for the metric of its path', async () => {
    const { get } = await tenant();
    expect(await get('/metrics/met_none/months?start=2026-02&end=2026-01')).toMatchObject({
      status: 400,
      body: { error: expect.stringMatching(/^start: expected a month/) as string },
    });
    expect(await get('/metrics/met_none/months')).toMatchObject({ status: 404 });
  });

  it('that computes spend requests an evaluation of events, although the client has left', async () => {
    const { orgId, secret } = await tenantWithSpend();
    let free: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (free = resolve));
    // Another computation makes the request wait until its client has left.
    const other = api.warehouse.withLock([`spend ${orgId}`], () => held);
    const computing = vi.spyOn(api.warehouse, 'lockedTransaction');
    const connected = once(api.app.server, 'connection');
    const { socket } = openRaw(
      api.port,
      `GET /api/v1/costs?start_date=2026-01-01&end_date=2026-01-31 HTTP/1.1\r\nHost: x\r\nX-API-Key: ${secret}\r\n\r\n`,
    );
    const [served] = (await connected) as [Socket];
    await vi.waitFor(() => {
      expect(computing).toHaveBeenCalled();
    }, WAIT_MS);
    computing.mockRestore();
    const noticed = once(served, 'close');
    socket.destroy();
    await noticed;
    free();
    await other;
    await vi.waitFor(() => {
      expect(evaluate.mock.calls).toEqual([[orgId]]);
    }, WAIT_MS);
    evaluate.mockClear();
  });

  it('that reads spend computes it first, and requests an evaluation of events once', async () => {
    const { orgId, get } = await tenantWithSpend();
    for (const end of ['2026-01-30', '2026-01-31'])
      expect(await get(`/costs?start_date=2026-01-01&end_date=${end}`)).toMatchObject({
        status: 200,
        body: { data: { total: 12.5 } },
      });
    // The end sends what waits.
    await api.close();
    expect(evaluate.mock.calls).toEqual([[orgId]]);
  });
});
