import { mkdir, realpath, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { ingestSource } from '../../../activities/sources/ingest-source.ts';
import { sourceMonths } from '../../../warehouse/sources/coverage.ts';
import type { LoadResult } from '../../../warehouse/sources/publishing/load.ts';
import { BILL_FORMS, billRow } from '../../model/actual/told-forms.ts';
import { plainLine, type BillForm } from '../../model/organisation-story.ts';
import { dayLine, focusCsv, type FocusLine } from '../../support/exports/focus-export.ts';
import { openDuckDb } from '../../support/warehouse/engines.ts';
import { loading, ingestOf } from '../../support/warehouse/feeds.ts';
import { money, newOrganisation, newSource } from '../../support/warehouse/tenant.ts';
import { withOpened } from '../../support/with-opened.ts';

const FORMS = Object.keys(BILL_FORMS) as BillForm[];

/** Each row counts once, in however many files of a source an export has left it. */
describe('files of one source with the same rows', () => {
  const test = withOpened(openDuckDb);
  let stories = 0;

  const january = (from: number, to: number, more: FocusLine = {}, cost = '10'): FocusLine[] =>
    Array.from({ length: to - from + 1 }, (_, index) =>
      dayLine(`2026-01-${String(from + index).padStart(2, '0')}`, cost, more),
    );
  const JANUARY = focusCsv(january(1, 31));

  const newFolder = async (files: Record<string, string | Buffer>): Promise<string> => {
    stories += 1;
    const folder = join(await realpath(test.directory), `copies ${stories}`);
    for (const [name, content] of Object.entries(files)) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), content);
    }
    return folder;
  };

  /** Ingests a folder as a source of its own. Notes name files by their paths below it. */
  const ingest = async (
    folder: string,
    changes: object = {},
  ): Promise<LoadResult & { doubts: (readonly [code: string, sentence: string, amount: number])[] }> => {
    const { id: orgId } = await newOrganisation(test.warehouse);
    const source = await newSource(test.warehouse, orgId, { name: 'Bill', location: folder, ...changes });
    const result = await loading(test, (sessions) =>
      ingestSource(source, ingestOf(test, sessions, { orgId, sourceId: source.id })),
    );
    const short = (text: string): string => text.replaceAll(`${folder}/`, '');
    const months = await sourceMonths(test.warehouse, orgId, { first: '2026-01', last: '2026-01' });
    const doubts = (months.get('2026-01') ?? []).flatMap((month) => month.doubts);
    return {
      ...result,
      notes: result.notes.map(short),
      doubts: doubts.map(({ code, sentence, amount }) => [code, short(sentence), Number(amount)] as const),
    };
  };
  const ingested = async (files: Record<string, string | Buffer>) => {
    const { costTotal, notes } = await ingest(await newFolder(files));
    return { costTotal, notes };
  };
  const once = (inner: string, outer: string, worth: string): string =>
    `${inner} has only rows that ${outer} has, too, and was left out: its ${worth} count once`;

  it.each<[what: string, files: Record<string, string | Buffer>, copy: string, of: string]>([
    ['under two names', { 'a.csv': JANUARY, 'a (1).csv': JANUARY }, 'a.csv', 'a (1).csv'],
    ['beside its compressed form', { 'a.csv': JANUARY, 'a.csv.gz': gzipSync(JANUARY) }, 'a.csv.gz', 'a.csv'],
    [
      'in two folders',
      { '2026-01/a.csv': JANUARY, 'old/2026-01/a.csv': JANUARY },
      'old/2026-01/a.csv',
      '2026-01/a.csv',
    ],
    [
      'in two orders of rows and columns',
      {
        'a.csv': JANUARY,
        'b.csv': focusCsv(january(1, 31).reverse(), [...(JANUARY.split('\n')[0] ?? '').split(',')].reverse()),
      },
      'b.csv',
      'a.csv',
    ],
  ])('counts a month of 310 once if it lies %s', async (_, files, copy, of) => {
    expect(await ingested(files)).toEqual({
      costTotal: money('310'),
      notes: [once(copy, of, '31 rows with 310 of EffectiveCost')],
    });
  });

  it('counts a month once that lies beside Parquet of the same rows, whatever its types', async () => {
    const folder = await newFolder({ 'a.csv': JANUARY });
    await test.warehouse.query(
      `COPY (SELECT * REPLACE (EffectiveCost::DECIMAL(18,6) AS EffectiveCost, BilledCost::DOUBLE AS BilledCost,
          ChargePeriodStart::TIMESTAMPTZ AS ChargePeriodStart, BillingPeriodStart::TIMESTAMP AS BillingPeriodStart)
        FROM read_csv('${folder}/a.csv', all_varchar = true)) TO '${folder}/a.parquet'`,
    );
    const { costTotal, notes } = await ingest(folder);
    expect({ costTotal, notes }).toEqual({
      costTotal: money('310'),
      notes: [once('a.parquet', 'a.csv', '31 rows with 310 of EffectiveCost')],
    });
  });

  it('counts only the newest of month-to-date files', async () => {
    const dump = (through: number) => focusCsv(january(1, through, {}, '2.5'));
    // The 12th has 30, the 20th 50, and the 31st 77.5.
    expect(
      await ingested({ '01-12.csv': dump(12), '01-20.csv.gz': gzipSync(dump(20)), '01-31.csv': dump(31) }),
    ).toEqual({
      costTotal: money('77.5'),
      notes: [
        once('01-12.csv', '01-31.csv', '12 rows with 30 of EffectiveCost'),
        once('01-20.csv.gz', '01-31.csv', '20 rows with 50 of EffectiveCost'),
      ],
    });
    // Even the first days of a month: their few rows are all that the newer file has of these days.
    expect(await ingested({ 'a.csv': dump(1), 'b.csv': dump(2), 'c.csv': dump(3) })).toEqual({
      costTotal: money('7.5'),
      notes: [
        once('a.csv', 'c.csv', '1 rows with 2.5 of EffectiveCost'),
        once('b.csv', 'c.csv', '2 rows with 5 of EffectiveCost'),
      ],
    });
  });

  it('counts a large month-to-date file once, although each is larger than the samples', async () => {
    const rows = (count: number) =>
      focusCsv(
        Array.from({ length: count }, (_, index) =>
          dayLine(`2026-01-${String(1 + (index % 28)).padStart(2, '0')}`, '0.5', {
            ResourceId: `r-${index}`,
          }),
        ),
      );
    const { costTotal, notes } = await ingested({ 'a.csv': rows(3_000), 'b.csv': rows(5_000) });
    expect(costTotal).toBe(money('2500'));
    expect(notes).toEqual([once('a.csv', 'b.csv', '3000 rows with 1500 of EffectiveCost')]);
  });

  const scopes = { outer: '/providers/Microsoft.Billing/billingAccounts/77', inner: '/subscriptions/s-1' };
  const azure = (account: string, cost: string, days: readonly [number, number] = [1, 31]) =>
    january(...days, { ProviderName: 'Microsoft', SubAccountId: account }, cost);
  /** The files of a run of an Azure export. */
  const run = (scope: string, name: string, parts: string[], from = '2026-01-01'): Record<string, string> => {
    const folder = `${name}/${from.replaceAll('-', '')}-20260131/run-1`;
    const blobs = parts.map((_, index) => ({ blobName: `${folder}/part_${index}.csv` }));
    return {
      [`${folder}/manifest.json`]: JSON.stringify({
        blobs,
        exportConfig: { resourceId: `${scope}/providers/Microsoft.CostManagement/exports/${name}` },
        runInfo: { startDate: from, endDate: '2026-01-31', submittedTime: '2026-02-01T04:00:00Z' },
      }),
      ...Object.fromEntries(parts.map((text, index) => [`${folder}/part_${index}.csv`, text])),
    };
  };

  it('counts a subscription once whose billing account has an export, too', async () => {
    const lines = [...azure('s-1', '4'), ...azure('s-2', '1.5')];
    // The billing account's rows lie in two parts: 31 × 5.5 = 170.5. The subscription's 124 are among them.
    const files = {
      ...run(scopes.outer, 'all', [focusCsv(lines.slice(0, 40)), focusCsv(lines.slice(40))]),
      ...run(scopes.inner, 'shop', [focusCsv(azure('s-1', '4'))]),
    };
    expect(await ingested(files)).toEqual({
      costTotal: money('170.5'),
      notes: [
        once(
          'shop/20260101-20260131/run-1/',
          'all/20260101-20260131/run-1/',
          '31 rows with 124 of EffectiveCost',
        ),
      ],
    });
    // A subscription that the billing account does not have counts beside it: 31 × 3 = 93.
    const apart = { ...files, ...run('/subscriptions/s-3', 'labs', [focusCsv(azure('s-3', '3'))]) };
    expect((await ingested(apart)).costTotal).toBe(money('263.5'));
    // An export of the last day alone, with twelve machines at 0.25: 3 of the 173.5 are in both.
    const machines = Array.from({ length: 12 }, (_, index) =>
      january(31, 31, { ProviderName: 'Microsoft', SubAccountId: 's-1', ResourceId: `vm-${index}` }, '0.25'),
    ).flat();
    const lastDay = {
      ...run(scopes.outer, 'all', [focusCsv([...lines, ...machines])]),
      ...run(scopes.inner, 'shop', [focusCsv(machines)], '2026-01-31'),
    };
    expect((await ingested(lastDay)).costTotal).toBe(money('173.5'));
  });

  it('counts the rows of hosts once', async () => {
    const rows = (days: string[]) =>
      ['day,host,service,cost', ...days.map((day) => `${day},db-1,postgres,5`), ''].join('\n');
    const folder = await newFolder({
      'a.csv': rows(['2026-01-01', '2026-01-02']),
      'b.csv': rows(['2026-01-01', '2026-01-02', '2026-01-03']),
      'c.csv': rows(['2026-01-04']),
    });
    const { costTotal, notes } = await ingest(folder, { kind: 'hosts', options: {} });
    expect(costTotal).toBe(money('20'));
    expect(notes).toEqual([once('a.csv', 'b.csv', '2 rows with 10 of cost')]);
  });

  it.each(FORMS)('counts the few rows of a month-to-date file of %s once', async (form) => {
    const { source, columns } = BILL_FORMS[form];
    const csv = (days: string[]) =>
      focusCsv(
        days.map((day) => billRow(BILL_FORMS[form], plainLine(day, '10'), '2026-01')),
        columns,
      );
    const folder = await newFolder({
      '01-02.csv': csv(['2026-01-01', '2026-01-02']),
      '01-03.csv': csv(['2026-01-01', '2026-01-02', '2026-01-03']),
    });
    const { costTotal, notes, doubts } = await ingest(folder, source);
    expect({ costTotal, doubts }).toEqual({ costTotal: money('30'), doubts: [] });
    expect(notes).toContainEqual(
      expect.stringMatching(
        /^01-02\.csv has only rows that 01-03\.csv has, too, and was left out: its 2 rows/,
      ),
    );
  });

  it.each<[what: string, files: Record<string, string>, total: string]>([
    [
      'two accounts with equal charges',
      { 'a.csv': JANUARY, 'b.csv': focusCsv(january(1, 31, { SubAccountId: '2222' })) },
      '620',
    ],
    [
      'parts with single equal rows',
      { 'a.csv': focusCsv(january(1, 16)), 'b.csv': focusCsv(january(16, 31)) },
      '320',
    ],
    [
      'a row that comes more often in the smaller file',
      {
        'a.csv': focusCsv([...january(1, 12), ...january(12, 12)]),
        'b.csv': JANUARY,
      },
      '440',
    ],
    [
      'months',
      {
        'a.csv': JANUARY,
        'b.csv': JANUARY.replaceAll('2026-01-', '2026-02-').replaceAll(/^.*2026-02-(29|3).*\n/gm, ''),
      },
      '590',
    ],
    [
      'parts that one manifest names',
      {
        'bill/metadata/BILLING_PERIOD=2026-01/bill-Manifest.json': JSON.stringify({
          dataFiles: [
            's3://b/bill/data/BILLING_PERIOD=2026-01/a.csv',
            's3://b/bill/data/BILLING_PERIOD=2026-01/b.csv',
          ],
        }),
        'bill/data/BILLING_PERIOD=2026-01/a.csv': focusCsv(january(1, 1)),
        'bill/data/BILLING_PERIOD=2026-01/b.csv': focusCsv(january(1, 1)),
      },
      '20',
    ],
  ])('counts %s as they are, without a note', async (_, files, total) => {
    expect(await ingested(files)).toEqual({ costTotal: money(total), notes: [] });
  });

  it.each([
    ['a subscription within a billing account', '/subscriptions/s-1', scopes.outer],
    [
      'a subscription within a management group',
      '/subscriptions/s-1',
      '/providers/Microsoft.Management/managementGroups/all',
    ],
    ['a resource group within a subscription', '/subscriptions/S-1/resourceGroups/web', '/subscriptions/s-1'],
  ])('counts %s once, even with few rows beside others', async (_, inner, outer) => {
    // Two days at 4 and at 1.5 are 11, of which the inner scope has 8.
    const lines = [...azure('s-1', '4', [30, 31]), ...azure('s-2', '1.5', [30, 31])];
    const files = {
      ...run(outer, 'all', [focusCsv(lines)], '2026-01-30'),
      ...run(inner, 'some', [focusCsv(azure('s-1', '4', [30, 31]))], '2026-01-30'),
    };
    const { costTotal, notes, doubts } = await ingest(await newFolder(files));
    expect({ costTotal, notes, doubts }).toEqual({
      costTotal: money('11'),
      notes: [
        once(
          'some/20260130-20260131/run-1/',
          'all/20260130-20260131/run-1/',
          '2 rows with 8 of EffectiveCost',
        ),
      ],
      doubts: [],
    });
  });

  it('doubts few rows of a scope that another has, too, if it is not within the other', async () => {
    const files = {
      ...run(
        '/subscriptions/s-1',
        'one',
        [focusCsv([...azure('s-1', '4', [30, 31]), ...azure('s-2', '2', [30, 31])])],
        '2026-01-30',
      ),
      ...run('/subscriptions/s-9', 'two', [focusCsv(azure('s-1', '4', [30, 31]))], '2026-01-30'),
    };
    const { costTotal, doubts } = await ingest(await newFolder(files));
    expect({ costTotal, doubts }).toEqual({
      costTotal: money('20'),
      doubts: [
        [
          'charges_twice',
          'cost source "Bill" has account "azure/s-1" with the same amounts in two files on 2 days from 2026-01-30 to 2026-01-31: 8 counts twice',
          8,
        ],
      ],
    });
  });

  it('doubts a small file with rows that can be equal by chance, with its amount', async () => {
    const tax = dayLine('2026-01-31', '7', { ChargeCategory: 'Tax' });
    const other = dayLine('2026-01-31', '1', { ChargeCategory: 'Tax', ServiceName: 'Amazon S3' });
    const load = async (inner: FocusLine) =>
      ingest(await newFolder({ 'a.csv': focusCsv([inner]), 'b.csv': focusCsv([tax, tax, other]) }));
    const { costTotal, notes, doubts } = await load(tax);
    expect({ costTotal, notes, doubts }).toEqual({
      costTotal: money('22'),
      notes: [
        'b.csv has all rows of a.csv, too, but other rows of the same time: both count, its 1 rows with 7 of EffectiveCost twice; remove one if it is a copy',
      ],
      doubts: [
        [
          'charges_twice',
          'cost source "Bill" has each line of account "aws/1111" in "a.csv" and in "b.csv" on 1 day, 2026-01-31: 7 counts twice',
          7,
        ],
      ],
    });
    // A tax of its own, which no other file has.
    const apart = await load({ ...tax, EffectiveCost: '9', BilledCost: '9' });
    expect([apart.costTotal, apart.notes, apart.doubts]).toEqual([money('24'), [], []]);
  });

  it('doubts few rows of a bill without EffectiveCost by what counts of them', async () => {
    const billed = (service: string, cost: string) => ({
      ...dayLine('2026-01-31', cost, { ServiceName: service }),
      EffectiveCost: '0',
    });
    const { costTotal, doubts } = await ingest(
      await newFolder({
        'a.csv': focusCsv([billed('S3', '7')]),
        'b.csv': focusCsv([billed('S3', '7'), billed('EC2', '5')]),
      }),
    );
    expect([costTotal, doubts.map(([, , amount]) => amount)]).toEqual([money('19'), [7]]);
  });

  it.each([
    ['hosts', {}, 'day,host,service,cost', '2026-01-31,web,shop', 'host "web"'],
    [
      'ai_tools',
      { usage_location: '' },
      'day,tool,user,cost',
      '2026-01-31,assistant,ann',
      'tool "assistant"',
    ],
    [
      'opencost',
      { cluster: 'p' },
      'Date,Namespace,ControllerKind,ControllerName,TotalCost',
      '2026-01-31,shop,deployment,api',
      'cluster "p"',
    ],
  ])(
    'doubts the only row of a small file of %s that another has beside others',
    async (kind, options, header, row, unit) => {
      const folder = await newFolder({
        'a.csv': `${header}\n${row},3\n`,
        'b.csv': `${header}\n${row},3\n${row},5\n`,
        'usage/none.csv': 'day,tool,repository,usage\n',
      });
      const location = `${folder}/*.csv`;
      const usage = 'usage_location' in options ? { usage_location: `${folder}/usage/none.csv` } : options;
      const { costTotal, doubts } = await ingest(folder, { kind, location, options: usage });
      expect([costTotal, doubts.map(([, sentence]) => sentence)]).toEqual([
        money('11'),
        [
          `cost source "Bill" has each ${kind === 'opencost' ? 'allocation' : 'line'} of ${unit} in "a.csv" and in "b.csv" on 1 day, 2026-01-31: 3 counts twice`,
        ],
      ]);
    },
  );
});
