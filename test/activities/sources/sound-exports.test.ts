import { expect, it } from 'vitest';
import { soundExports } from '../../support/exports/sound-exports.ts';
import { as } from '../../support/service/api-client.ts';
import { newOrders } from '../../support/service/connected-exports.ts';
import { expectData } from '../../support/service/envelope.ts';
import { startLocalApi } from '../../support/service/local-api.ts';
import { ingestExports } from '../../support/service/local-ingest.ts';
import { withOpened } from '../../support/with-opened.ts';

/** Exports in which nothing is wrong raise no doubt, or people learn to click doubts away. */
const api = withOpened(startLocalApi);

const MONTHS = ['2025-11', '2025-12', '2026-01'];

it.each(Object.entries(soundExports()))('an export of %s raises no doubt and no note', async (_, sources) => {
  const { orgId, secret } = await api.newTenant();
  const admin = as(api, secret);
  const metric = await newOrders(admin, MONTHS);
  expect(await ingestExports(api, orgId, sources)).toMatchObject(
    sources.map(() => ({ status: 'completed', rows_rejected: 0, notes: [] })),
  );
  const months = expectData(
    await admin.get<{ status: string; reason: string | null; missing: unknown[] }[]>(
      `/metrics/${metric}/months`,
    ),
  );
  expect(months.slice(1, 4).map(({ status, reason, missing }) => ({ status, reason, missing }))).toEqual(
    MONTHS.map(() => ({ status: 'ready_to_lock', reason: null, missing: [] })),
  );
});
