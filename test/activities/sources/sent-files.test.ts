import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { addDays } from '../../../domain/shared/calendar.ts';
import type { NewCostSource } from '../../../warehouse/sources/cost-sources.ts';
import { storeContent } from '../../../warehouse/sources/uploads/uploaded-contents.ts';
import { deleteUpload, publishUpload } from '../../../warehouse/sources/uploads/uploaded-files.ts';
import { dayLine, focusCsv } from '../../support/exports/focus-export.ts';
import { ingestLocally } from '../../support/service/local-ingest.ts';
import { describeOnBothEngines } from '../../support/warehouse/engines.ts';
import { BY_ADMIN, newOrganisation, newSource, NOW } from '../../support/warehouse/tenant.ts';
import { withOpened } from '../../support/with-opened.ts';

const daysOf = (first: string, count: number): string[] =>
  Array.from({ length: count }, (_, day) => addDays(first, day));

describeOnBothEngines('an ingest of sent files', (open) => {
  const test = withOpened(open);

  const newStory = async (changes: Partial<NewCostSource>) => {
    const { id: orgId } = await newOrganisation(test.warehouse);
    const { id: sourceId } = await newSource(test.warehouse, orgId, { location: 'upload', ...changes });
    const send = async (name: string, body: string | Buffer, now = NOW): Promise<void> => {
      const bytes = async function* () {
        yield Buffer.from(body);
      };
      const content = await storeContent(test.warehouse, orgId, bytes());
      const limits = { mostBytes: 2 ** 20 };
      await publishUpload(test.warehouse, orgId, { sourceId, name, content, limits }, { ...BY_ADMIN, now });
    };
    return { orgId, sourceId, send, ingest: () => ingestLocally(test, { orgId, sourceId }) };
  };

  it('reads all of them, and calls them by their names', async () => {
    const { orgId, sourceId, send, ingest } = await newStory({});
    await send('january.csv', focusCsv(daysOf('2026-01-01', 31).map((day) => dayLine(day, '4'))));
    await send(
      'february.csv.gz',
      gzipSync(focusCsv(daysOf('2026-02-01', 6).map((day) => dayLine(day, '5')))),
    );
    // 31 × 4 + 6 × 5 = 154.
    expect(await ingest()).toMatchObject({
      months: ['2026-01', '2026-02'],
      rows_read: 37,
      cost_total: '154.000000000000000',
    });
    const files = await test.warehouse.query(
      'SELECT file FROM load_files WHERE org_id = $org ORDER BY file',
      { org: orgId },
    );
    expect(files).toEqual([{ file: 'upload/february.csv.gz' }, { file: 'upload/january.csv' }]);
    await deleteUpload(test.warehouse, orgId, { sourceId, name: 'february.csv.gz' }, BY_ADMIN);
    await send('january.csv', focusCsv(daysOf('2026-01-01', 31).map((day) => dayLine(day, '6'))));
    expect(await ingest()).toMatchObject({ months: ['2026-01'], cost_total: '186.000000000000000' });
  });

  it('says what is wrong with a file by its name, and that there is none', async () => {
    const { send, ingest } = await newStory({});
    await expect(ingest()).rejects.toThrow(
      'location: expected at least one sent file, got none: send a file of the source first',
    );
    await send('costs.csv', 'day,cost\n2026-01-01,10\n');
    await expect(ingest()).rejects.toThrow(
      /^upload\/costs\.csv: mandatory column .* is missing; nothing was loaded$/,
    );
  });

  it('does not count a day that had not ended when the file was sent', async () => {
    const { orgId, send, ingest } = await newStory({});
    const bill = focusCsv(daysOf('2026-01-01', 31).map((day) => dayLine(day, '4')));
    await send('january.csv', bill, new Date('2026-01-31T12:00:00Z'));
    await ingest();
    const through = async () =>
      test.warehouse.query(
        `SELECT CAST(written_through AS VARCHAR) AS day FROM current_loads WHERE org_id = $org`,
        {
          org: orgId,
        },
      );
    expect(await through()).toEqual([{ day: '2026-01-30' }]);
    await send('january.csv', bill);
    await ingest();
    expect(await through()).toEqual([{ day: null }]);
  });

  it('tells the spend of AI tools from their usage by the columns', async () => {
    const { send, ingest } = await newStory({ kind: 'ai_tools', options: { usage_location: 'upload' } });
    await send('a.csv', 'day,tool,cost\n2026-01-01,cursor,10\n2026-01-02,cursor,20\n');
    await expect(ingest()).rejects.toThrow('options.usage_location: no sent file has its columns');
    await send('b.csv', 'day,tool,repository,usage\n2026-01-01,cursor,github.com/acme/web,1\n');
    expect(await ingest()).toMatchObject({
      months: ['2026-01'],
      rows_read: 3,
      cost_total: '30.000000000000000',
    });
    await send('c.csv', 'day,tool\n2026-01-01,cursor\n');
    await expect(ingest()).rejects.toThrow(/^upload\/c\.csv: mandatory column cost is missing/);
  });
});
