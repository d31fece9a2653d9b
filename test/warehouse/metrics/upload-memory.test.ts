import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { addDays } from '../../../domain/shared/calendar.ts';
import { LONGEST_LABEL } from '../../../domain/metrics/value-rules.ts';
import { MOST_CSV_VALUES } from '../../../warehouse/metrics/csv/csv-values.ts';
import { THOROUGH } from '../../support/effort.ts';
import { openDuckDb } from '../../support/warehouse/engines.ts';
import { newMetric, newOrganisation, NOW } from '../../support/warehouse/tenant.ts';
import { uploadCsv } from '../../support/warehouse/given-values.ts';

const CHANGE = { source: 'csv', by: { type: 'key', id: 'key_1', name: 'Finance' }, now: NOW } as const;

/** Returns a label that cannot be compressed. */
function label(index: number): string {
  const part = createHash('sha512').update(index.toString()).digest('base64url');
  return `${index} ${part.repeat(3)}`.slice(0, LONGEST_LABEL);
}

it.runIf(THOROUGH)(
  'stores the largest upload with the longest labels in 176 MB, new or replaced',
  async () => {
    const { warehouse, directory, close } = await openDuckDb();
    try {
      const { id: orgId } = await newOrganisation(warehouse);
      const metric = await newMetric(warehouse, orgId, { label_key: 'region' });
      const labels = Array.from({ length: MOST_CSV_VALUES }, (_, index) => label(index));
      const upload = async (version: number) => {
        const file = join(directory, `${version}.csv`);
        const line = (text: string, index: number): string =>
          `${addDays('2024-01-01', index % 365)},${text},${index + version}\n`;
        await writeFile(file, labels.map(line).join(''));
        return uploadCsv(warehouse, orgId, metric, file, CHANGE);
      };
      await warehouse.run(`SET GLOBAL threads = 2`);
      await warehouse.run(`SET GLOBAL memory_limit = '176MB'`);
      // Without space on disk, an upload that needs more memory fails.
      await warehouse.run(`SET GLOBAL max_temp_directory_size = '0KB'`);
      expect(await upload(0)).toMatchObject({ created: MOST_CSV_VALUES });
      expect(await upload(1)).toMatchObject({ created: 0, replaced: MOST_CSV_VALUES });
      expect(await upload(1)).toMatchObject({ replaced: 0, unchanged: MOST_CSV_VALUES });
    } finally {
      await close();
    }
  },
  180_000,
);
