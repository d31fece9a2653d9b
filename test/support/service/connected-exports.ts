import { writeSources, type ExportedSource } from '../exports/exported-source.ts';
import { ingest, type Api, type Run } from './api-client.ts';
import { expectData } from './envelope.ts';

/** Writes the files of sources below `folder`, connects the sources, and returns their runs. */
export async function connectExports(
  admin: Api,
  folder: string,
  sources: readonly ExportedSource[],
): Promise<Run[]> {
  const runs: Run[] = [];
  for (const source of await writeSources(folder, sources)) {
    const { id } = expectData(await admin.post<{ id: string }>('/cost-sources', source));
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
