import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, expect, it } from 'vitest';
import { ingest, newOrganisation, type Api } from '../../support/service/api-client.ts';
import { expectData } from '../../support/service/envelope.ts';
import { soundExports } from '../../support/exports/sound-exports.ts';
import { sharedService, type SharedService } from '../../support/service/shared-service.ts';

/** Exports in which nothing is wrong raise no doubt, or people learn to click doubts away. */
let service: SharedService;

beforeAll(async () => {
  service = await sharedService();
});

const SECOND_FEED: Partial<Record<string, string>> = {
  opencost: 'assets_location',
  ai_tools: 'usage_location',
};

const connect = async (admin: Api, folder: string, exported: string, place: number): Promise<string[]> => {
  const source = soundExports()[exported]?.[place];
  if (source === undefined) throw new Error(`no source ${place} of ${exported}`);
  await mkdir(join(folder, 'files'), { recursive: true });
  for (const [name, text] of Object.entries(source.files))
    await writeFile(join(folder, 'files', name), name.endsWith('.gz') ? gzipSync(text) : text);
  const second = SECOND_FEED[source.kind];
  const options: Record<string, string> = {};
  if (second !== undefined) {
    options[second] = join(folder, 'second.csv');
    await writeFile(join(folder, 'second.csv'), source.second ?? '');
  }
  const { id } = expectData(
    await admin.post<{ id: string }>('/cost-sources', {
      ...{ name: `Source ${place}`, kind: source.kind, location: join(folder, 'files'), options },
      starts_on: '2025-11-01',
    }),
  );
  const run = await ingest(admin, id);
  expect(run).toMatchObject({ status: 'completed', error: null, rows_rejected: 0 });
  return run.notes;
};

it.each(Object.keys(soundExports()))('an export of %s raises no doubt and no note', async (exported) => {
  const { admin } = await newOrganisation(service);
  const metric = expectData(
    await admin.post<{ id: string }>('/metrics', {
      ...{ name: 'Orders', unit: 'order', aggregation: 'total', frequency: 'monthly' },
      scope: { type: 'organisation' },
    }),
  );
  const values = ['2025-11', '2025-12', '2026-01'].map((period) => ({ period, value: 10 }));
  expectData(await admin.post(`/metrics/${metric.id}/values`, { values }));
  const notes: string[] = [];
  for (const place of (soundExports()[exported] ?? []).keys()) {
    const folder = join(service.exportsDir, exported.replaceAll(/\W+/g, '-'), String(place));
    notes.push(...(await connect(admin, folder, exported, place)));
  }
  expect(notes).toEqual([]);
  const months = expectData(
    await admin.get<{ month: string; status: string; reason: string | null; missing: unknown[] }[]>(
      `/metrics/${metric.id}/months`,
    ),
  );
  expect(months.slice(1, 4).map(({ status, reason, missing }) => ({ status, reason, missing }))).toEqual(
    values.map(() => ({ status: 'ready_to_lock', reason: null, missing: [] })),
  );
});
