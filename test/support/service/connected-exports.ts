import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { ExportedSource } from '../exports/exported-source.ts';
import { ingest, type Api, type Run } from './api-client.ts';
import { expectData } from './envelope.ts';

const SECOND_FEED: Partial<Record<string, string>> = {
  opencost: 'assets_location',
  ai_tools: 'usage_location',
};

/** Writes the files of sources below `folder`, connects the sources, and returns their runs. */
export async function connectExports(
  admin: Api,
  folder: string,
  sources: readonly ExportedSource[],
): Promise<Run[]> {
  const runs: Run[] = [];
  for (const [place, source] of sources.entries()) {
    const own = join(folder, String(place));
    await mkdir(join(own, 'files'), { recursive: true });
    for (const [name, text] of Object.entries(source.files))
      await writeFile(join(own, 'files', name), name.endsWith('.gz') ? gzipSync(text) : text);
    const second = SECOND_FEED[source.kind];
    const options: Record<string, string> = {};
    if (second !== undefined) {
      options[second] = join(own, 'second.csv');
      await writeFile(join(own, 'second.csv'), source.second ?? '');
    }
    const { id } = expectData(
      await admin.post<{ id: string }>('/cost-sources', {
        name: `Source ${place}`,
        kind: source.kind,
        location: join(own, 'files'),
        options,
        starts_on: source.startsOn ?? '2025-11-01',
      }),
    );
    runs.push(await ingest(admin, id));
  }
  return runs;
}

/** Makes a metric of the organisation with a value of 10 in each of some months. Returns its id. */
export async function newOrders(admin: Api, months: readonly string[]): Promise<string> {
  const { id } = expectData(
    await admin.post<{ id: string }>('/metrics', {
      name: 'Orders',
      unit: 'order',
      aggregation: 'total',
      frequency: 'monthly',
      scope: { type: 'organisation' },
    }),
  );
  const values = months.map((period) => ({ period, value: 10 }));
  expectData(await admin.post(`/metrics/${id}/values`, { values }));
  return id;
}
