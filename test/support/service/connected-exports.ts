import { writeSources, type ExportedSource } from '../exports/exported-source.ts';
import { create, createMetric } from './create.ts';
import { ingest, type Api, type Run } from './api-client.ts';

/** Writes the files of sources below `folder`, connects the sources, and returns their runs. */
export async function connectExports(
  admin: Api,
  folder: string,
  sources: readonly ExportedSource[],
): Promise<Run[]> {
  const runs: Run[] = [];
  for (const source of await writeSources(folder, sources)) {
    const id = await create(admin, '/cost-sources', source);
    runs.push(await ingest(admin, id));
  }
  return runs;
}

/** Makes a metric of the organisation with a value of 10 in each of some months. Returns its id. */
export const newOrders = (admin: Api, months: readonly string[]): Promise<string> =>
  createMetric(
    admin,
    { frequency: 'monthly' },
    months.map((period) => ({ period, value: 10 })),
  );
