import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { newOrganisation } from '../../support/service/api-client.ts';
import { connectExports, newOrders } from '../../support/service/connected-exports.ts';
import { expectData } from '../../support/service/envelope.ts';
import { soundExports } from '../../support/exports/sound-exports.ts';
import { sharedService, type SharedService } from '../../support/service/shared-service.ts';

/** Exports in which nothing is wrong raise no doubt, or people learn to click doubts away. */
let service: SharedService;

beforeAll(async () => {
  service = await sharedService();
});

const MONTHS = ['2025-11', '2025-12', '2026-01'];

it.each(Object.entries(soundExports()))(
  'an export of %s raises no doubt and no note',
  async (name, sources) => {
    const { admin } = await newOrganisation(service);
    const metric = await newOrders(admin, MONTHS);
    const runs = await connectExports(admin, join(service.exportsDir, name.replaceAll(/\W+/g, '-')), sources);
    expect(runs.map(({ status, rows_rejected, notes }) => ({ status, rows_rejected, notes }))).toEqual(
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
  },
);
