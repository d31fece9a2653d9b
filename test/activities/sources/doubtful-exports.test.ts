import { expect, it } from 'vitest';
import { as } from '../../support/service/api-client.ts';
import { newOrders } from '../../support/service/connected-exports.ts';
import { expectData, expectError } from '../../support/service/envelope.ts';
import { doubtfulExports } from '../../support/exports/doubtful-exports.ts';
import { startLocalApi } from '../../support/service/local-api.ts';
import { ingestExports } from '../../support/service/local-ingest.ts';
import { withOpened } from '../../support/with-opened.ts';

/** Each export is counted right, or holds January back with a reason. */
const api = withOpened(startLocalApi);

interface Month {
  month: string;
  cost: number;
  status: string;
  can_lock: string;
  missing: { code: string; sentence: string; ways_out: unknown[] }[];
}

it.each(Object.entries(doubtfulExports()))(
  '%s: January is counted right, or is held back with a reason',
  async (_, { sources, cost, doubts, note }) => {
    const { orgId, secret } = await api.newTenant();
    const admin = as(api, secret);
    const orders = await newOrders(admin, ['2026-01']);
    const runs = await ingestExports(api, orgId, sources);
    expect(runs).toMatchObject(sources.map(() => ({ status: 'completed', error: null })));
    if (note !== undefined) expect(runs.flatMap((run) => run?.notes ?? []).join('\n')).toMatch(note);
    const months = expectData(await admin.get<Month[]>(`/metrics/${orders}/months`));
    const january = months.find(({ month }) => month === '2026-01');
    expect(january).toMatchObject({
      cost,
      status: doubts.length === 0 ? 'ready_to_lock' : 'open',
      can_lock: doubts.length === 0 ? 'now' : 'without_missing',
    });
    const missing = january?.missing ?? [];
    expect([...new Set(missing.map(({ code }) => code))]).toEqual(doubts);
    const path = `/metrics/${orders}/months/2026-01`;
    const lock = await admin.post(`${path}/lock`);
    if (doubts.length === 0) {
      expectData(lock);
      return;
    }
    for (const { ways_out } of missing) expect(ways_out.length).toBeGreaterThan(1);
    expectError(lock, 409, /accept_missing/);
    expectData(await admin.post(`${path}/lock`, { accept_missing: true }));
    expect(expectData(await admin.get(`${path}/versions`))).toMatchObject([
      { missing: missing.map(({ sentence }) => sentence) },
    ]);
  },
);
