import { expect, it } from 'vitest';
import { gzipSync } from 'node:zlib';
import { removeDeadSpend } from '../../../warehouse/engine/maintenance/maintenance.ts';
import { listenLocally } from '../../support/fakes/file-server.ts';
import { addDays, type Day } from '../../../domain/shared/calendar.ts';
import { dayLine, focusCsv, type FocusLine } from '../../support/exports/focus-export.ts';
import { describeOnBothEngines } from '../../support/warehouse/engines.ts';
import { lacking } from '../../support/needs.ts';
import { spendByDay } from '../../support/warehouse/tenant.ts';
import { TwinSources } from '../../support/warehouse/twin-sources.ts';
import { withOpened } from '../../support/with-opened.ts';

/** Returns lines of a month's first days, of 10 each. */
const days = (month: string, count: number, cost = '10', more: FocusLine = {}): FocusLine[] =>
  Array.from({ length: count }, (_, index) => dayLine(addDays(`${month}-01`, index), cost, more));

const bill = (month: string, cost = '10', more: FocusLine = {}): string =>
  focusCsv(days(month, 28, cost, more));

const withoutHttpfs = lacking('extensions');

const at = (day: Day): Date => new Date(`${day}T06:00:00Z`);

/** Each story compares the source with one that reads everything in each run (twin-sources.ts). */
describeOnBothEngines('a run that reads what has changed', (open, onDuckDb) => {
  const test = withOpened(open);

  const threeMonths = async (): Promise<TwinSources> => {
    const twins = await TwinSources.create(test);
    await twins.write({ '11.csv': bill('2025-11'), '12.csv': bill('2025-12'), '01.csv': bill('2026-01') });
    expect(await twins.ingest()).toMatchObject({
      filesRead: 3,
      filesUnchanged: 0,
      costTotal: '840.000000000000000',
    });
    return twins;
  };
  const NOTHING = { months: [], filesRead: 0, bytesRead: 0, rowsRead: 0, costTotal: '0', notes: [] };

  it('reads nothing if nothing has changed', async () => {
    const twins = await threeMonths();
    expect(await twins.ingest()).toMatchObject({ ...NOTHING, filesUnchanged: 3 });
  });

  it('reads a changed file, and no other', async () => {
    const twins = await threeMonths();
    const december = bill('2025-12', '11');
    await twins.write({ '12.csv': december });
    expect(await twins.ingest()).toMatchObject({
      months: ['2025-12'],
      filesRead: 1,
      filesUnchanged: 2,
      bytesRead: december.length,
      rowsRead: 28,
      costTotal: '308.000000000000000',
    });
    expect(await twins.ingest()).toMatchObject(NOTHING);
  });

  it('reads all files of the periods of a file with several', async () => {
    const twins = await threeMonths();
    await twins.write({ 'both.csv': focusCsv([...days('2025-11', 1, '1'), ...days('2025-12', 1, '1')]) });
    expect(await twins.ingest()).toMatchObject({ months: ['2025-11', '2025-12'], filesRead: 3 });
    await twins.write({ '11.csv': bill('2025-11', '12') });
    expect(await twins.ingest()).toMatchObject({
      months: ['2025-11', '2025-12'],
      filesRead: 3,
      filesUnchanged: 1,
    });
    await twins.write({ 'both.csv': focusCsv(days('2025-11', 1, '1')) });
    expect(await twins.ingest()).toMatchObject({ months: ['2025-11', '2025-12'], filesRead: 3 });
    await twins.write({ 'both.csv': focusCsv(days('2025-11', 1, '2')) });
    expect(await twins.ingest()).toMatchObject({ months: ['2025-11'], filesRead: 2, filesUnchanged: 2 });
  });

  it('of hosts reads all files if one has changed, and keeps the days that files no longer have', async () => {
    const twins = await TwinSources.create(test, (folder) => ({
      kind: 'hosts',
      options: {},
      location: folder,
    }));
    const hosts = (...lines: string[]): string => ['day,host,service,cost', ...lines, ''].join('\n');
    await twins.write({
      'a.csv': hosts('2026-01-10,web,nginx,4', '2026-01-11,web,nginx,4'),
      'b.csv': hosts('2025-12-10,db,postgres,5'),
    });
    expect(await twins.ingest()).toMatchObject({ filesRead: 2, costTotal: '13.000000000000000' });
    expect(await twins.ingest()).toMatchObject({ ...NOTHING, filesUnchanged: 2 });
    await twins.write({ 'a.csv': hosts('2026-01-12,web,nginx,6') });
    expect(await twins.ingest()).toMatchObject({ filesRead: 2, months: ['2025-12', '2026-01'] });
    expect(await twins.ingest({ acceptShrink: true })).toMatchObject({
      filesRead: 2,
      months: ['2025-12', '2026-01'],
    });
    await twins.remove('b.csv');
    expect(await twins.ingest()).toMatchObject({ filesRead: 1, months: ['2026-01'] });
    expect(await twins.ingest()).toMatchObject(NOTHING);
  });

  onDuckDb(() => {
    it('reads everything if it is asked to', async () => {
      const twins = await threeMonths();
      expect(await twins.ingest({}, true)).toMatchObject({ filesRead: 3, filesUnchanged: 0, rowsRead: 84 });
      expect(await twins.ingest({ acceptShrink: true })).toMatchObject({ filesRead: 3 });
      expect(await twins.ingest()).toMatchObject(NOTHING);
    });

    it('reads a new file, and then those that have the same billing period', async () => {
      const twins = await threeMonths();
      await twins.write({ '02.csv': focusCsv(days('2026-02', 6)) });
      expect(await twins.ingest()).toMatchObject({ months: ['2026-02'], filesRead: 1, filesUnchanged: 3 });
      await twins.write({
        '01 corrections.csv': focusCsv(days('2026-01', 1, '-3', { SubAccountId: '2222' })),
      });
      expect(await twins.ingest()).toMatchObject({ months: ['2026-01'], filesRead: 2, filesUnchanged: 3 });
      expect(await spendByDay(test.warehouse, twins.orgId)).toMatchObject({
        '2026-01-01': '7.000000000000000',
        '2026-01-02': '10.000000000000000',
      });
    });

    it('reads what shared a period with a file that is gone', async () => {
      const twins = await threeMonths();
      await twins.write({ 'more.csv': focusCsv(days('2025-12', 1, '1', { SubAccountId: '2222' })) });
      await twins.ingest();
      await twins.remove('more.csv');
      expect(await twins.ingest()).toMatchObject({
        months: ['2025-12'],
        filesRead: 1,
        costTotal: '280.000000000000000',
      });
    });

    it('keeps a period whose only file is gone, or empty, and reads nothing again', async () => {
      const twins = await threeMonths();
      await twins.remove('11.csv');
      expect(await twins.ingest()).toMatchObject({ ...NOTHING, filesUnchanged: 2 });
      expect(await twins.ingest()).toMatchObject(NOTHING);
      await twins.write({ '12.csv': '' });
      expect(await twins.ingest()).toMatchObject({
        months: [],
        filesRead: 1,
        notes: ['12.csv is empty and was left out'],
      });
      expect(await twins.ingest()).toMatchObject(NOTHING);
      await twins.write({ '12.csv': bill('2025-12', '13') });
      expect(await twins.ingest()).toMatchObject({ months: ['2025-12'], filesRead: 1 });
    });

    it('reads all once the options or the location change', async () => {
      const twins = await threeMonths();
      await twins.change({ options: { cost_column: 'BilledCost' } });
      expect(await twins.ingest()).toMatchObject({ filesRead: 3 });
      await twins.change({ location: `${twins.folder}/*.csv` });
      expect(await twins.ingest()).toMatchObject({ filesRead: 3 });
      await twins.change({ name: 'Another name' });
      expect(await twins.ingest()).toMatchObject(NOTHING);
    });

    it('reads the periods that a choice divides, from its first day on, until nothing collects it', async () => {
      const twins = await TwinSources.create(test);
      const tagged = (month: string) => bill(month, '10', { Tags: '{"team":"a"}' });
      await twins.write({
        '11.csv': tagged('2025-11'),
        '12.csv': tagged('2025-12'),
        '01.csv': tagged('2026-01'),
      });
      await twins.ingest();
      await twins.choose({ kind: 'tag', cloud: 'aws', choice: 'team', firstDay: '2025-12-15' });
      expect(await twins.ingest()).toMatchObject({ months: ['2025-12', '2026-01'], filesUnchanged: 1 });
      expect(await twins.ingest()).toMatchObject(NOTHING);
      const unused = {
        kind: 'tag',
        cloud: 'aws',
        choice: 'team',
        firstDay: '2025-12-15',
        unusedSince: '2026-02-07',
      } as const;
      await twins.choose(unused);
      expect(await twins.ingest({ now: at('2026-03-09') })).toMatchObject(NOTHING);
      expect(await twins.ingest({ now: at('2026-03-10') })).toMatchObject({ filesRead: 2 });
      expect(await twins.ingest({ now: at('2026-03-10') })).toMatchObject(NOTHING);
    });

    it('reads a running month once a day, until it has read it after its end', async () => {
      const twins = await TwinSources.create(test);
      await twins.write({ '01.csv': bill('2026-01'), '02.csv': focusCsv(days('2026-02', 20)) });
      await twins.ingest({ now: at('2026-02-12') });
      expect(await twins.ingest({ now: at('2026-02-12') })).toMatchObject(NOTHING);
      expect(await twins.ingest({ now: at('2026-02-14') })).toMatchObject({
        months: ['2026-02'],
        filesRead: 1,
      });
      expect(await twins.ingest({ now: at('2026-03-02') })).toMatchObject({
        months: ['2026-02'],
        filesRead: 1,
      });
      await twins.write({ '03.csv': focusCsv(days('2026-03', 2)) });
      expect(await twins.ingest({ now: at('2026-03-05') })).toMatchObject({
        months: ['2026-03'],
        filesRead: 1,
      });
      expect(await twins.ingest({ now: at('2026-03-06') })).toMatchObject({
        months: ['2026-03'],
        filesRead: 1,
      });
    });

    it('leaves out copies in new files, and reads what they are copies of', async () => {
      const twins = await threeMonths();
      await twins.write({ 'old/12.csv': bill('2025-12') });
      expect(await twins.ingest()).toMatchObject({
        months: ['2025-12'],
        filesRead: 2,
        costTotal: '280.000000000000000',
      });
      expect(await twins.ingest()).toMatchObject({ ...NOTHING, filesUnchanged: 4 });
      await twins.write({ '01.csv': bill('2026-01', '11') });
      expect(await twins.ingest()).toMatchObject({ filesRead: 1 });
      await twins.remove('12.csv');
      expect(await twins.ingest()).toMatchObject({ filesRead: 1, costTotal: '280.000000000000000' });
      await twins.write({
        'dump.csv.gz': gzipSync(focusCsv([...days('2025-12', 28), ...days('2026-01', 28, '11')])),
      });
      expect(await twins.ingest()).toMatchObject({
        months: ['2025-12', '2026-01'],
        filesRead: 3,
        filesUnchanged: 1,
      });
      await twins.write({ '01.csv': bill('2026-01', '12') });
      await twins.ingest();
    });

    it('reads all if copies have few rows, because other files may decide otherwise', async () => {
      const twins = await threeMonths();
      await twins.write({ 'few.csv': focusCsv(days('2025-12', 2)) });
      expect(await twins.ingest()).toMatchObject({ filesRead: 4 });
      expect(await twins.ingest()).toMatchObject(NOTHING);
      await twins.write({ '01.csv': bill('2026-01', '11') });
      expect(await twins.ingest()).toMatchObject({ filesRead: 4 });
    });

    const many = (month: string, broken: FocusLine, count = 150): string =>
      focusCsv([
        ...Array.from({ length: count }, (_, n) =>
          dayLine(`${month}-0${1 + (n % 9)}`, '1', { SubAccountId: String(n) }),
        ),
        broken,
      ]);

    it('counts rows that cannot be read against all rows of the source, and keeps their doubts', async () => {
      const twins = await TwinSources.create(test);
      const broken = dayLine('2025-12-03', 'ten', { SubAccountId: '9' });
      await twins.write({
        '11.csv': many('2025-11', dayLine('2025-11-01', '1')),
        '12.csv': many('2025-12', broken),
      });
      await twins.ingest();
      await twins.write({ '01.csv': many('2026-01', dayLine('2026-01-01', 'x'), 40) });
      // 2 of 343 rows, although it is 1 of 41 in the new file.
      expect(await twins.ingest()).toMatchObject({ months: ['2026-01'], filesRead: 1, rowsRejected: 1 });
      expect(await twins.ingest()).toMatchObject(NOTHING);
      await twins.write({ '01.csv': focusCsv([...days('2026-01', 4), ...days('2026-01', 4, 'x')]) });
      expect(await twins.ingest()).toMatchObject({
        error: expect.stringContaining('5 of 310 rows cannot be read') as string,
      });
      expect(await twins.ingest()).toMatchObject({
        error: expect.stringContaining('5 of 310 rows cannot be read') as string,
      });
      await twins.write({ '01.csv': bill('2026-01') });
      expect(await twins.ingest()).toMatchObject({ months: ['2026-01'], filesRead: 1 });
    });

    it('reads all if a row does not say to which period it belongs', async () => {
      const twins = await TwinSources.create(test);
      const undated = dayLine('2025-12-03', '1', { BillingPeriodStart: 'soon' });
      await twins.write({
        '11.csv': many('2025-11', dayLine('2025-11-01', '1')),
        '12.csv': many('2025-12', undated),
      });
      await twins.ingest();
      expect(await twins.ingest()).toMatchObject(NOTHING);
      await twins.write({ '11.csv': bill('2025-11') });
      expect(await twins.ingest()).toMatchObject({ filesRead: 2 });
      await twins.write({ '12.csv': bill('2025-12') });
      expect(await twins.ingest()).toMatchObject({ filesRead: 2 });
      await twins.write({ '12.csv': bill('2025-12', '11') });
      expect(await twins.ingest()).toMatchObject({ filesRead: 1 });
      await twins.write({ '11.csv': many('2025-11', undated) });
      expect(await twins.ingest()).toMatchObject({ filesRead: 2 });
    });

    it('decides purchases of commitments over all periods', async () => {
      const twins = await threeMonths();
      const commitment = { CommitmentDiscountId: 'sp-1', ChargeCategory: 'Purchase' };
      await twins.write({ 'purchase.csv': focusCsv(days('2025-11', 1, '100', commitment)) });
      expect(await twins.ingest()).toMatchObject({ filesRead: 4 });
      await twins.write({ '01.csv': bill('2026-01', '10', { CommitmentDiscountId: 'sp-1' }) });
      expect(await twins.ingest()).toMatchObject({ filesRead: 4, costTotal: '840.000000000000000' });
      await twins.write({ '01.csv': bill('2026-01') });
      expect(await twins.ingest()).toMatchObject({ filesRead: 4, costTotal: '940.000000000000000' });
    });

    it('reads the month before if a purchase on the first day counts by one on the last day before', async () => {
      const twins = await TwinSources.create(test);
      const fee = (day: Day) => dayLine(day, '5', { ChargeCategory: 'Purchase', SubAccountId: 'payer' });
      const january = [...days('2026-01', 31), fee('2026-01-31')];
      await twins.write({ '12.csv': bill('2025-12'), '01.csv': focusCsv(january) });
      await twins.ingest();
      await twins.write({ '02.csv': focusCsv([...days('2026-02', 2), fee('2026-02-01')]) });
      expect(await twins.ingest()).toMatchObject({ filesRead: 2, filesUnchanged: 1 });
      await twins.write({ '02.csv': focusCsv(days('2026-02', 3)) });
      expect(await twins.ingest()).toMatchObject({ filesRead: 2, filesUnchanged: 1 });
    });

    it('falls back to BilledCost by period', async () => {
      const twins = await threeMonths();
      await twins.write({ '12.csv': bill('2025-12', '0', { BilledCost: '7' }) });
      expect(await twins.ingest()).toMatchObject({
        months: ['2025-12'],
        filesRead: 1,
        costTotal: '196.000000000000000',
      });
      await twins.write({ 'more.csv': focusCsv(days('2025-12', 1, '1')) });
      expect(await twins.ingest()).toMatchObject({
        months: ['2025-12'],
        filesRead: 2,
        costTotal: '1.000000000000000',
      });
    });

    it('of some months reads all if anything has changed, and leaves the other months to be read', async () => {
      const twins = await threeMonths();
      const only = { startMonth: '2025-12', endMonth: '2025-12' };
      expect(await twins.ingest(only)).toMatchObject({ ...NOTHING, filesUnchanged: 3 });
      await twins.write({ '11.csv': bill('2025-11', '12'), '12.csv': bill('2025-12', '12') });
      expect(await twins.ingest(only)).toMatchObject({ months: ['2025-12'], filesRead: 3 });
      expect(await twins.ingest()).toMatchObject({ months: ['2025-11', '2025-12'], filesRead: 2 });
      expect(await twins.ingest(only)).toMatchObject(NOTHING);
    });

    it('of some months at first leaves the others unread', async () => {
      const twins = await TwinSources.create(test);
      await twins.write({ '12.csv': bill('2025-12'), '01.csv': bill('2026-01') });
      expect(await twins.ingest({ startMonth: '2026-01' })).toMatchObject({
        months: ['2026-01'],
        filesRead: 2,
      });
      expect(await twins.ingest()).toMatchObject({ months: ['2025-12', '2026-01'], filesRead: 2 });
      expect(await twins.ingest()).toMatchObject(NOTHING);
    });

    it('fails each time for the same data, and has read nothing then', async () => {
      const twins = await threeMonths();
      await twins.write({
        '12.csv': bill('2025-12', '10', { BillingCurrency: 'EUR' }),
        '01.csv': bill('2026-01', '11'),
      });
      const error = expect.stringContaining('BillingCurrency: expected USD') as string;
      expect(await twins.ingest()).toMatchObject({ error });
      expect(await twins.ingest()).toMatchObject({ error });
      await twins.write({ '12.csv': bill('2025-12') });
      expect(await twins.ingest()).toMatchObject({ filesRead: 2, months: ['2025-12', '2026-01'] });
    });

    it('follows the manifests of an export: only the files that they name are read', async () => {
      const twins = await TwinSources.create(test);
      const manifest = (...names: string[]) =>
        JSON.stringify({ dataFiles: names.map((name) => `s3://b/e/data/P=2026-01/${name}`) });
      await twins.write({
        'data/P=2025-12/a.csv': bill('2025-12'),
        'data/P=2026-01/a.csv': bill('2026-01'),
        'data/P=2026-01/b.csv': bill('2026-01', '12'),
        'metadata/P=2026-01/e-Manifest.json': manifest('a.csv'),
      });
      expect(await twins.ingest()).toMatchObject({ filesRead: 2, filesUnchanged: 0 });
      await twins.write({ 'metadata/P=2026-01/e-Manifest.json': manifest('b.csv') });
      expect(await twins.ingest()).toMatchObject({
        months: ['2026-01'],
        filesRead: 1,
        filesUnchanged: 1,
        costTotal: '336.000000000000000',
      });
      expect(await twins.ingest()).toMatchObject(NOTHING);
    });
    it('of hosts reads a running month once a day, because its days end', async () => {
      const twins = await TwinSources.create(test, (folder) => ({
        kind: 'hosts',
        options: {},
        location: folder,
      }));
      await twins.write({
        'a.csv': 'day,host,service,cost\n2026-02-06,web,nginx,4\n2026-02-07,web,nginx,4\n',
      });
      await twins.ingest({ now: at('2026-02-07') });
      expect(await twins.ingest({ now: at('2026-02-07') })).toMatchObject(NOTHING);
      expect(await twins.ingest({ now: at('2026-02-08') })).toMatchObject({ filesRead: 1 });
      expect(await twins.ingest({ now: at('2026-03-01') })).toMatchObject({ filesRead: 1 });
      expect(await twins.ingest({ now: at('2026-03-02') })).toMatchObject(NOTHING);
      expect(await twins.ingest({ startMonth: '2026-02', now: at('2026-03-02') })).toMatchObject(NOTHING);
    });

    it('of AI tools reads both feeds if one has changed', async () => {
      const twins = await TwinSources.create(test, (folder) => ({
        kind: 'ai_tools',
        location: `${folder}/spend.csv`,
        options: { usage_location: `${folder}/usage.csv` },
      }));
      const usage = (cost: number) =>
        `day,tool,repository,usage\n2026-01-05,copilot,github.com/a/b,${cost}\n`;
      await twins.write({ 'spend.csv': 'day,tool,cost\n2026-01-05,copilot,10\n', 'usage.csv': usage(1) });
      expect(await twins.ingest()).toMatchObject({ filesRead: 2 });
      expect(await twins.ingest()).toMatchObject({ ...NOTHING, filesUnchanged: 2 });
      await twins.write({ 'usage.csv': usage(2) });
      expect(await twins.ingest()).toMatchObject({ filesRead: 2, months: ['2026-01'] });
    });

    it('of clusters reads allocations and assets if one has changed', async () => {
      const twins = await TwinSources.create(test, (folder) => ({
        kind: 'opencost',
        location: `${folder}/allocations.csv`,
        options: { assets_location: `${folder}/assets.csv` },
      }));
      const allocations = (cost: number) =>
        `Date,Cluster,Namespace,ControllerKind,ControllerName,TotalCost,SharedCost\n2026-01-05,prod,shop,deployment,api,${cost},0\n`;
      const assets = 'Date,Cluster,Type,ProviderID,TotalCost\n2026-01-05,prod,Node,i-0123456789abcdef0,9\n';
      await twins.write({ 'allocations.csv': allocations(4), 'assets.csv': assets });
      expect(await twins.ingest()).toMatchObject({ filesRead: 2 });
      expect(await twins.ingest()).toMatchObject({ ...NOTHING, filesUnchanged: 2 });
      await twins.write({ 'allocations.csv': allocations(5) });
      expect(await twins.ingest()).toMatchObject({ filesRead: 2, months: ['2026-01'] });
    });

    it.skipIf(withoutHttpfs !== '')(
      `of a URL reads it again if its host names no version, or another one${withoutHttpfs}`,
      async () => {
        let headers: Record<string, string> = {};
        const content = Buffer.from(bill('2026-01'));
        const server = await listenLocally((request, response) => {
          response.writeHead(200, { ...headers, 'content-length': content.length });
          response.end(request.method === 'HEAD' ? undefined : content);
        });
        const twins = await TwinSources.create(test, () => ({
          location: `${server.url}/bill.csv?signature=secret`,
        }));
        try {
          expect(await twins.ingest()).toMatchObject({ filesRead: 1 });
          expect(await twins.ingest()).toMatchObject({ filesRead: 1 });
          headers = { etag: '"1"' };
          await twins.ingest();
          expect(await twins.ingest()).toMatchObject({ ...NOTHING, filesUnchanged: 1 });
          headers = { etag: '"2"' };
          expect(await twins.ingest()).toMatchObject({ filesRead: 1, bytesRead: content.length });
          const [row] = await test.warehouse.query<{ record: string }>(
            `SELECT string_agg(CAST(record AS VARCHAR), '') AS record FROM source_readings WHERE org_id = $org`,
            { org: twins.orgId },
          );
          expect(row?.record).toContain('/bill.csv');
          expect(row?.record).not.toContain('secret');
        } finally {
          await server.close();
        }
      },
    );

    it('of a source from before the records reads everything once', async () => {
      const twins = await threeMonths();
      await test.warehouse.run('DELETE FROM source_readings WHERE org_id = $org', { org: twins.orgId });
      expect(await twins.ingest()).toMatchObject({ filesRead: 3 });
      expect(await twins.ingest()).toMatchObject(NOTHING);
    });

    it('that is tried again after it has published reads and reports the same', async () => {
      const twins = await threeMonths();
      await twins.write({ '12.csv': bill('2025-12', '11') });
      const runId = 'run_tried_again';
      const expected = { months: ['2025-12'], filesRead: 1, costTotal: '308.000000000000000' };
      expect(await twins.ingest({ runId })).toMatchObject(expected);
      expect(await twins.ingest({ runId })).toMatchObject(expected);
      expect(await twins.ingest()).toMatchObject(NOTHING);
    });

    it('beside another run of the source: the one that publishes later has not seen what the other has, and is tried again', async () => {
      const twins = await threeMonths();
      await twins.write({ '12.csv': bill('2025-12', '11') });
      await expect(twins.ingestWhile(() => twins.ingest())).rejects.toThrow(
        'another run of this cost source has published meanwhile',
      );
      await twins.compare();
      expect(await twins.ingest()).toMatchObject(NOTHING);
    });

    it('leaves one record once the maintenance has removed the others', async () => {
      const twins = await threeMonths();
      await twins.write({ '12.csv': bill('2025-12', '11') });
      await twins.ingest();
      const records = () =>
        test.warehouse.query('SELECT load_id FROM source_readings WHERE org_id = $org', { org: twins.orgId });
      expect(await records()).toHaveLength(2);
      await removeDeadSpend(test.warehouse, at('2026-02-10'));
      expect(await records()).toHaveLength(2);
      await removeDeadSpend(test.warehouse, at('2026-02-20'));
      expect(await records()).toHaveLength(1);
      expect(await twins.ingest()).toMatchObject(NOTHING);
      await twins.change('delete');
      await removeDeadSpend(test.warehouse, at('2026-02-20'));
      expect(await records()).toHaveLength(0);
    });
  });
});
