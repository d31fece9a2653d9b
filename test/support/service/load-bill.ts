import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { focusCsv, type FocusLine } from '../exports/focus-export.ts';
import { ingest, type Api } from './api-client.ts';
import { expectData } from './envelope.ts';
import type { SharedService } from './shared-service.ts';

/** Makes a cost source of a cloud bill with these lines, and loads it. Returns the id of the source. */
export const loadBill = async (
  { exportsDir }: Pick<SharedService, 'exportsDir'>,
  admin: Api,
  lines: readonly FocusLine[],
): Promise<string> => {
  const location = join(exportsDir, 'bill.csv');
  await writeFile(location, focusCsv(lines));
  const { id } = expectData(
    await admin.post<{ id: string }>('/cost-sources', { name: 'AWS', kind: 'focus', location, options: {} }),
  );
  const { status, error } = await ingest(admin, id);
  if (status !== 'completed') throw new Error(error ?? status);
  return id;
};
