import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { focusCsv, type FocusLine } from '../exports/focus-export.ts';
import { newIngestedSource, type Api } from './api-client.ts';
import type { SharedService } from './shared-service.ts';

/** Makes a cost source of a cloud bill with these lines, and loads it. Returns the id of the source. */
export async function loadBill(
  { exportsDir }: Pick<SharedService, 'exportsDir'>,
  admin: Api,
  lines: readonly FocusLine[],
): Promise<string> {
  const location = join(exportsDir, 'bill.csv');
  await writeFile(location, focusCsv(lines));
  return newIngestedSource(admin, { name: 'AWS', kind: 'focus', location, options: {} });
}
