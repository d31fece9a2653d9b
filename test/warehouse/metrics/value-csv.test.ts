import { writeFile } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { isBlank } from '../../../domain/metrics/csv-record.ts';
import { ServiceError } from '../../../domain/shared/errors.ts';
import { valueProblem } from '../../../domain/metrics/value-rules.ts';
import { normalText } from '../../../domain/shared/text/normal-text.ts';
import { listValueChanges, listValues } from '../../../warehouse/metrics/value-history.ts';
import type { Metric } from '../../../warehouse/metrics/metrics.ts';
import type { Warehouse } from '../../../warehouse/engine/warehouse.ts';
import { describeOnBothEngines } from '../../support/warehouse/engines.ts';
import { newMetric, newOrganisation, NOW } from '../../support/warehouse/tenant.ts';
import { uploadCsv } from '../../support/warehouse/given-values.ts';
import { withOpened } from '../../support/with-opened.ts';

const ALL = { limit: 1000, cursor: null };
const CHANGE = { source: 'csv', by: { type: 'key', id: 'key_1', name: 'Finance' }, now: NOW } as const;
const DAY = 86_400_000;

describeOnBothEngines('a CSV file of values', (open, onDuckDb) => {
  const test = withOpened(open);
  let warehouse: Warehouse;
  beforeAll(async () => {
    ({ warehouse } = test);
  });

  interface Tenant {
    orgId: string;
    metric: Metric;
  }
  const newTenant = async (changes: Parameters<typeof newMetric>[2] = {}): Promise<Tenant> => {
    const { id: orgId } = await newOrganisation(warehouse);
    return { orgId, metric: await newMetric(warehouse, orgId, changes) };
  };
  const upload = async ({ orgId, metric }: Tenant, content: string | Buffer) => {
    const file = join(test.directory, `[${randomUUID()}].csv`);
    await writeFile(file, content);
    return uploadCsv(warehouse, orgId, metric, file, CHANGE);
  };
  const stored = async ({ orgId, metric }: Tenant): Promise<string[]> =>
    (await listValues(warehouse, orgId, metric.id, { start: null, end: null, ...ALL })).map(
      ({ period, label, value }) => `${period} ${label === '' ? '' : `${label} `}${Number(value)}`,
    );
  const region = { label_key: 'region' };

  onDuckDb(() => {
    it('is accepted with and without header, byte order mark, CRLF, blank lines and final newline', async () => {
      for (const file of [
        '2026-01-05,100\n2026-01-06,1.5\n',
        '2026-01-05,100\n2026-01-06,1.5',
        'period,value\n2026-01-05,100\n2026-01-06,1.5\n',
        'value,period\n100,2026-01-05\n1.5,2026-01-06\n',
        ' Day ,VALUE\n2026-01-05,100\n2026-01-06,1.5\n',
        '\ufeff2026-01-05,100\n2026-01-06,1.5\n',
        '\ufeffperiod,value\n2026-01-05,100\n2026-01-06,1.5\n',
        '\ufeff"period","value"\r\n2026-01-05,100\r\n2026-01-06,1.5\r\n',
        '2026-01-05,100\r\n2026-01-06,1.5',
        '2026-01-05,100\r\n2026-01-06,1.5\n',
        'period,value\n2026-01-05,100\r\n2026-01-06,1.5\r\n',
        '\n\n2026-01-05,100\n\n \t\n2026-01-06,1.5\n\n\n',
        '\r\n2026-01-05,100\r\n\r\n2026-01-06,1.5\r\n  \r\n',
        '"2026-01-05","100"\n"2026-01-06",1.5\n',
        '2026-01-06,15E-1\n2026-01-05,1e2\n',
        '2026-01-06,01.50\n2026-01-05,100.0000000000000\n',
        // As spreadsheets write them: empty cells, semicolons, tabs, a declared separator.
        'period,value,,\n2026-01-05,100,,\n2026-01-06,1.5\n,,,\n,\n',
        '2026-01-05,100,\n2026-01-06,1.5,,\n',
        'period;value\n2026-01-05;100\n2026-01-06;1,5\n',
        '"period";"value";\r\n"2026-01-05";"100";\r\n2026-01-06;"1,5";\r\n;;\r\n',
        'period;value\n2026-01-05;1e2\n2026-01-06;1.5\n',
        'Value\tPeriod\n100\t2026-01-05\n1.5\t2026-01-06\n',
        'sep=;\nperiod;value\n2026-01-05;100\n2026-01-06;1,5\n',
        '\ufeff"sep=;"\r\n2026-01-05;100\r\n2026-01-06;1,5\r\n',
        'sep=,\nperiod,value\n2026-01-05,100\n2026-01-06,1.5\n',
        'SEP=\t\n2026-01-05\t100\n2026-01-06\t1.5\n',
        // A byte order mark is never data.
        '\ufeff\ufeff2026-01-05,100\n2026-01-06,1.5\n',
        'period,value\n2026-01-05,100\n\ufeff2026-01-06,\ufeff1.5\n',
        '\ufeff"period",\ufeff"value"\n2026-01-05,100\n\ufeff"2026-01-06","\ufeff1.5"\n',
      ]) {
        const tenant = await newTenant();
        const first = await upload(tenant, file).catch((error: unknown) => error);
        expect({ file, first }).toEqual({
          file,
          first: { created: 2, replaced: 0, unchanged: 0, rounded: 0, months: ['2026-01'] },
        });
        expect(await stored(tenant)).toEqual(['2026-01-05 100', '2026-01-06 1.5']);
        expect(await upload(tenant, file)).toEqual({
          created: 0,
          replaced: 0,
          unchanged: 2,
          rounded: 0,
          months: [],
        });
      }
    });
  });

  it('replaces values, and records the author and the previous value in the history', async () => {
    const tenant = await newTenant({ frequency: 'monthly' });
    await upload(tenant, '2025-12,1\n2026-01,2\n');
    expect(await upload(tenant, '2025-12,1\n2026-01,3\n2026-02,4\n')).toEqual({
      created: 1,
      replaced: 1,
      unchanged: 1,
      rounded: 0,
      months: ['2026-01', '2026-02'],
    });
    const [, january] = await listValueChanges(warehouse, tenant.orgId, tenant.metric.id, ALL);
    expect(january).toMatchObject({
      period: '2026-01-01',
      value: '3.0000000000',
      previous: '2.0000000000',
      source: 'csv',
      changed_by: CHANGE.by,
    });
  });

  onDuckDb(() => {
    it('has its columns where the header says, and not in the order of another file', async () => {
      // Read in the usual order, the second column would be the label: 5 of "100" and 7 of "250".
      for (const file of [
        'period,value,label\n2026-01-05,100,5\n2026-01-06,250,7\n',
        'LABEL;Month;VALUE\n5;2026-01-05;100\n7;2026-01-06;250\n',
        'Region\tvalue\tday\n5\t100\t2026-01-05\n7\t250\t2026-01-06\n',
      ]) {
        const tenant = await newTenant(region);
        await upload(tenant, file);
        expect({ file, stored: await stored(tenant) }).toEqual({
          file,
          stored: ['2026-01-05 5 100', '2026-01-06 7 250'],
        });
      }
    });

    it('rounds values to ten decimals, reports how many, and the same file again changes nothing', async () => {
      const tenant = await newTenant();
      // Three of five have more than ten decimals. −0 is 0.
      const file =
        '2026-01-05,0.30000000000000004\n2026-01-06,0.12345678905\n2026-01-07,1e-11\n2026-01-08,-0\n2026-01-09,0.50000000000000\n';
      const written = { created: 5, replaced: 0, unchanged: 0, rounded: 3, months: ['2026-01'] };
      expect(await upload(tenant, file)).toEqual(written);
      expect(await stored(tenant)).toEqual([
        ...['2026-01-05 0.3', '2026-01-06 0.1234567891', '2026-01-07 0', '2026-01-08 0', '2026-01-09 0.5'],
      ]);
      expect(await upload(tenant, file)).toEqual({ ...written, created: 0, unchanged: 5, months: [] });
    });

    it('trims labels, and takes both encodings of a label as one', async () => {
      const tenant = await newTenant(region);
      expect(
        await upload(tenant, '2026-01-05, Re\u0301union ,3\n2026-01-06,"\ufeffR\u00e9union",4\n'),
      ).toMatchObject({ created: 2 });
      expect(await stored(tenant)).toEqual(['2026-01-05 R\u00e9union 3', '2026-01-06 R\u00e9union 4']);
      const twice = await upload(tenant, '2026-01-07,R\u00e9union,1\n2026-01-07,Re\u0301union,1\n').catch(
        String,
      );
      expect(twice).toMatch(/line 2: period: expected each period and label once in a file/);
    });
  });

  it('keeps labels exactly, with commas, quotes and spaces within', async () => {
    const tenant = await newTenant(region);
    const labels = ['eu', 'e u', 'EU', 'a,b', 'say "hi"', '名前', 'ü\u00a0ü'];
    const quoted = (label: string): string => `"${label.replaceAll('"', '""')}"`;
    const lines = labels.map((label, index) => `2026-01-05,${quoted(label)},${index}`);
    expect(await upload(tenant, `period,label,value\n${lines.join('\n')}\n`)).toMatchObject({
      created: labels.length,
    });
    const values = await listValues(warehouse, tenant.orgId, tenant.metric.id, {
      start: null,
      end: null,
      ...ALL,
    });
    expect(new Map(values.map(({ label, value }) => [label, Number(value)]))).toEqual(
      new Map(labels.map((label, index) => [label, index])),
    );
    expect(await upload(tenant, `${lines.join('\r\n')}\r\n`)).toMatchObject({
      created: 0,
      unchanged: labels.length,
    });
  });

  it('keeps values exactly', async () => {
    const tenant = await newTenant();
    const texts = [
      '0', '0.0', '1e15', '1000000000000000', '1000000000000000.0000000000', '999999999999999.9999999999', '0.0000000001',
      '1e-10', '10E-11', '123456789.0123456789', '.5', '5.', '00012.50', '99999999.9999999999', '100000000',
      '0.1000000000000000000000000000000000000000000000000000', '1.5e+3', '0e9999',
    ]; // prettier-ignore
    const day = (index: number): string => new Date(Date.UTC(2025, 0, 1 + index)).toISOString().slice(0, 10);
    await upload(tenant, texts.map((text, index) => `${day(index)},${text}\n`).join(''));
    const values = await listValues(warehouse, tenant.orgId, tenant.metric.id, {
      start: null,
      end: null,
      ...ALL,
    });
    expect(values.map(({ value }) => value?.replace(/\.?0+$/, ''))).toEqual([
      '0', '0', '1000000000000000', '1000000000000000', '1000000000000000', '999999999999999.9999999999', '0.0000000001',
      '0.0000000001', '0.0000000001', '123456789.0123456789', '0.5', '5', '12.5', '99999999.9999999999', '100000000',
      '0.1', '1500', '0',
    ]); // prettier-ignore
  });

  it('stores nothing once it is stopped, and the next file is accepted', async () => {
    const tenant = await newTenant();
    const file = join(test.directory, `${randomUUID()}.csv`);
    const day = (index: number): string => new Date(index * DAY).toISOString().slice(0, 10);
    await writeFile(file, Array.from({ length: 20_000 }, (_, index) => `${day(index)},1\n`).join(''));
    const stopping = new AbortController();
    const written = uploadCsv(warehouse, tenant.orgId, tenant.metric, file, CHANGE, stopping.signal);
    // Reading the file alone takes many turns of the event loop.
    setImmediate(() => {
      stopping.abort();
    });
    await expect(written).rejects.toThrow();
    expect(await stored(tenant)).toEqual([]);
    expect(await upload(tenant, '2026-01-05,1\n')).toMatchObject({ created: 1 });
  });

  describe('that is rejected', () => {
    const rejection = async (tenant: Tenant, content: string | Buffer): Promise<string> => {
      const message = await upload(tenant, content).then(
        () => 'nothing was rejected',
        (error: unknown) =>
          error instanceof ServiceError ? `invalid: ${error.message}` : `unexpected: ${String(error)}`,
      );
      expect(await stored(tenant)).toEqual([]);
      return message;
    };

    it('reports the line and the reason without labels', async () => {
      const tenant = await newTenant();
      const good = '2026-01-05,1\n';
      const cases: [string | Buffer, RegExp][] = [
        ['', /^invalid: body: expected lines of period,value, got none/],
        ['\n\n', /got none/],
        ['\ufeff', /got none/],
        ['period,value\n', /got none/],
        ['period,value', /got none/],
        [`${good}2026-01-06,abc\n`, /^invalid: line 2: value: expected a number of at least 0, got "abc"$/],
        [`period,value\n${good}\n\n2026-01-06,abc`, /^invalid: line 5: value: .*"abc"$/],
        [`${good}2026-01-06,\n`, /^invalid: line 2: value: expected a number of at least 0, got ""$/],
        [`${good}2026-01-06,-1\n`, /^invalid: line 2: value: expected a number of at least 0, got "-1"$/],
        [`${good}2026-01-06,1000000000000000.1\n`, /^invalid: line 2: value: expected a number of at most 1e15, got/],
        [`${good}2026-01-06,1e99\n`, /^invalid: line 2: value: expected a number of at most 1e15, got "1e99"$/],
        ...['1_000', ' 5', '5 ', '"5 "', 'inf', 'nan', '0x10', '1,5'.replace(',', "'"), '+5', '1e', '.', 'e5', '٣', '5\0'].map(
          (text): [string, RegExp] => [`${good}2026-01-06,${text}\n`, /^invalid: line 2: value: expected a number of at least 0/],
        ),
        [`${good}2026-01-06,1,5\n`, /^invalid: line 2: expected 2 columns, period,value, got 3: "2026-01-06,1,5"$/],
        [`${good}2026-01-06,1,,5\n`, /^invalid: line 2: expected 2 columns, period,value, got 4/],
        [`${good}2026-01-06,1,x\n`, /^invalid: line 2: expected 2 columns, period,value, got 3/],
        [`${good}2026-01-06\n`, /^invalid: line 2: expected 2 columns, period,value, got 1/],
        [`${good}2026-01-06;1\n`, /^invalid: line 2: expected 2 columns, period,value, got 1: "2026-01-06;1"; a file with semicolons or tabs needs a header$/],
        ['2026-01-05;1\n2026-01-06;2\n', /^invalid: line 1: expected 2 columns.*needs a header; line 2: /],
        ['2026-01-05\t1\n', /^invalid: line 1: expected 2 columns.*needs a header$/],
        ...['period,region,value', 'period,label,value', 'date,orders', 'value', 'period', 'period,value,note', 'period,,value',
          'period,period', 'Datum;Wert', 'sep=|', 'period|value', 'a,b', 'h'].map(
          (header): [string, RegExp] => [`${header}\n${good}`, /^invalid: line 1: expected a header with the columns period,value in any order, or a value, got "/],
        ),
        ['period;value\n2026-01-05,1\n', /^invalid: line 2: expected 2 columns, period,value, got 1: "2026-01-05,1"$/],
        ['period,value\n2026-01-05;1\n', /^invalid: line 2: expected 2 columns, period,value, got 1: "2026-01-05;1"; a file/],
        ['period,value\n2026-01-05,"1,5"\n', /^invalid: line 2: value: expected a number of at least 0, got "1,5"$/],
        ['period\tvalue\n2026-01-05\t1,5\n', /^invalid: line 2: value: expected a number of at least 0, got "1,5"$/],
        ['period;value\n2026-01-05;1.234,5\n', /^invalid: line 2: value: expected a number of at least 0, got "1.234,5"$/],
        ['period;value\n2026-01-05;6.200\n2026-01-06;7.300\n', /^invalid: line 2: value: expected a number with one meaning: "6.200" can be 6.2 or 6200; write 6.20 or 6200$/],
        ['period;value\n2026-01-05;6,200\n', /^invalid: line 2: value: expected a number with one meaning/],
        ['period;value\n2026-01-05;6.200\n2026-01-06;1,5\n', /^invalid: line 3: value: expected one decimal sign in the file, ".", got "1,5"$/],
        ['sep=;\n2026-01-05;1,5\n2026-01-06;x\n', /^invalid: line 3: value: expected a number of at least 0, got "x"$/],
        [`${good}2026-13-01,1\n`, /^invalid: line 2: period: expected YYYY-MM-DD for a daily metric, got "2026-13-01"$/],
        ...['2026-02-30', '2026-1-5', '2026-01', '20260105', ' 2026-01-06', '2026-01-06T00:00:00Z', '0000-01-01', 'epoch',
          'infinity', '0044-03-15 (BC)', '10000-01-01', ''].map(
          (text): [string, RegExp] => [`${good}${text},1\n`, /^invalid: line 2: period: expected YYYY-MM-DD for a daily metric/],
        ),
        [`${good}2026-02-08,1\n`, /^invalid: line 2: period: expected a period not after 2026-02-07, got "2026-02-08", which is in the future$/],
        ['2026-01-05,1\n2026-01-06,2\n2026-01-05,3\n2026-01-06,4\n', /^invalid: line 3: period: expected each period once in a file, got "2026-01-05", which line 1 already has$/],
        ['period,value\n2026-01-05,1\r\n\r\n2026-01-05,1\n', /^invalid: line 4: period: .* which line 2 already has$/],
        [`${good}"2026-01-06,1\n2026-01-07,1\n`, /^invalid: line 2: expected quotes around whole fields/],
        [`${good}2026-01-06,"1"x\n`, /^invalid: line 2: expected quotes around whole fields/],
        [`${good}2026-01-06,1"\n2026-01-07,1\n`, /^invalid: line 2: expected quotes around whole fields/],
        [`${good}2026-01-06, "1"\n`, /^invalid: line 2: expected quotes around whole fields/],
        [`"a\nb",1\n${good}`, /^invalid: line 1: expected quotes around whole fields, each on one line, got "\\"a"$/],
        [`"a\nb",value\n${good}`, /^invalid: line 1: expected quotes around whole fields, each on one line/],
        [`period,val\rue\n${good}`, /^invalid: line 1: expected a text without control characters, got "val\\rue"$/],
        [`${good}2026-01-06,x\n2026-01-07,"1\n`, /^invalid: line 2: value: /],
        [`${good}2026-01-06,"x\n"\n2026-01-07,"1\n`, /^invalid: line 2: expected quotes around whole fields/],
        [Buffer.concat([Buffer.from(`${good}2026-01-06,`), Buffer.from([0xff, 0x0a])]), /^invalid: line 2: expected UTF-8/],
        [Buffer.from('\ufeffperiod,value\n2026-01-05,1\n', 'utf16le'), /^invalid: line 1: expected UTF-8/],
        [Buffer.from('2026-01-05,1\n', 'utf16le'), /^invalid: line 1: period: /],
        [`${good}${'x'.repeat(3_000_000)}\n`, /^invalid: line 2: expected at most 8192 bytes, got more: "xxx.*…$/],
        ['2026-01-05,1\r2026-01-06,x\r', /^invalid: line 1: expected 2 columns, period,value, got 3/],
        ['period,value\r2026-01-05,1\r', /^invalid: line 1: expected a text without control characters/],
        ['x,1\n2026-01-06,2\n', /^invalid: line 1: period: /],
        ['x,y\n2026-01-06,2\n', /^invalid: line 1: expected a header/],
        ['1st,value\n2026-01-06,2\n', /^invalid: line 1: period: /],
        ['period,value\nperiod,value\n2026-01-06,2\n', /^invalid: line 2: period: /],
      ]; // prettier-ignore
      for (const [content, message] of cases) {
        expect({ content, message: await rejection(tenant, content) }).toEqual({
          content,
          message: expect.stringMatching(message) as string,
        });
      }
    });

    it('reports the first ten wrong lines, up to one that cannot be read', async () => {
      const tenant = await newTenant();
      const problem = (line: number): string =>
        `line ${line}: value: expected a number of at least 0, got "x${line}"`;
      const lines = (count: number): string =>
        Array.from({ length: count }, (_, index) => `2026-01-05,x${index + 1}\n`).join('');
      const problems = (...numbers: number[]): string => `invalid: ${numbers.map(problem).join('; ')}`;
      expect(await rejection(tenant, lines(2))).toBe(problems(1, 2));
      expect(await rejection(tenant, lines(12))).toBe(problems(1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
      expect(await rejection(tenant, `${lines(1)}2026-01-06,1\n2026-01-07,x3\n`)).toBe(problems(1, 3));
      // The same day twice is looked for only if every line is right.
      expect(await rejection(tenant, `2026-01-05,1\n2026-01-05,x2\n2026-01-05,2\n`)).toBe(problems(2));
      expect(await rejection(tenant, `${lines(2)}2026-01-06,"1\n2026-01-07,x4\n`)).toBe(problems(1, 2));
      // The blocks that are read at once have 10 KiB.
      expect(await rejection(tenant, `${lines(1)}${'2026-01-06,1\n'.repeat(2_000)}2026-01-07,x2002\n`)).toBe(
        problems(1, 2002),
      );
    });

    it('reports the line and the reason with labels', async () => {
      const tenant = await newTenant(region);
      const good = '2026-01-05,us,1\n';
      const cases: [string, RegExp][] = [
        [`${good}2026-01-06,eu,abc\n`, /^invalid: line 2: value: expected a number of at least 0, got "abc"$/],
        [`Period,LABEL,value\r\n${good}\n2026-01-06,eu,abc\n`, /^invalid: line 4: value: /],
        [`h,h,h\r\n${good}`, /^invalid: line 1: expected a header with the columns period,label,value in any order, or a value, got "h,h,h"$/],
        [`period,country,value\r\n${good}`, /^invalid: line 1: expected a header with the columns period,label,value/],
        [`${good}2026-01-06,1,\n`, /^invalid: line 2: value: expected a number of at least 0, got ""$/],
        [`${good}2026-01-06,,1\n`, /^invalid: line 2: label: expected a label for the label key "region", got ""$/],
        [`${good}2026-01-06," ",1\n`, /^invalid: line 2: label: expected a label/],
        [`${good}2026-01-06,\u00a0\u2003\t,1\n`, /^invalid: line 2: label: expected a label/],
        [`${good}2026-01-06,${'é'.repeat(201)},1\n`, /^invalid: line 2: label: expected at most 200 characters/],
        [`${good}2026-01-06,1\n`, /^invalid: line 2: expected 3 columns, period,label,value, got 2/],
        ['period,value\n2026-01-05,1\n', /^invalid: line 1: expected a header with the columns period,label,value in any order, or a value, got "period,value"$/],
        [`${good}2026-01-06,eu,1\n2026-01-05,us,2\n`, /^invalid: line 3: period: .*with label "us", which line 1 already has$/],
        [`${good}2026-01-06,"eu,1\n2026-01-07,us,1\n`, /^invalid: line 2: expected quotes around whole fields/],
        [`${good}2026-01-06,"two\nlines",1\n`, /^invalid: line 2: expected quotes around whole fields, each on one line/],
        [`${good}2026-01-06,"crlf\r\nlines",1\n`, /^invalid: line 2: expected quotes around whole fields, each on one line/],
        ...['a\tb', 'a\rb', 'a\0b', 'a\u007fb', 'a\u0085b'].map(
          (label): [string, RegExp] => [`${good}2026-01-06,${label},1\n`, /^invalid: line 2: label: expected a text without control characters/],
        ),
      ]; // prettier-ignore
      for (const [content, message] of cases) {
        expect({ content, message: await rejection(tenant, content) }).toEqual({
          content,
          message: expect.stringMatching(message) as string,
        });
      }
      expect(await upload(tenant, `2026-01-06,${'𝒳'.repeat(200)},1\n`)).toMatchObject({ created: 1 });
    });

    onDuckDb(() => {
      it('has the errors of the same values in JSON, for any text', async () => {
        const rules = { kind: 'count', frequency: 'daily', label_key: 'region' } as const;
        const tenant = await newTenant(rules);
        const digits = fc.stringMatching(/^[0-9]{0,20}$/);
        const value = fc.oneof(
        fc.tuple(fc.constantFrom('', '-', '+', ' '), digits, fc.constantFrom('', '.', ','), digits,
          fc.constantFrom('', 'e1', 'E-3', 'e+11', 'e-10', 'e', 'e99999', ' ')).map((parts) => parts.join('')),
        fc.string({ maxLength: 4 }),
      ); // prettier-ignore
        const period = fc.oneof(
        fc.date({ min: new Date('1999-01-01'), max: new Date('2027-01-01'), noInvalidDate: true })
          .map((date) => date.toISOString().slice(0, 10)),
        fc.stringMatching(/^[0-2]\d{3}-[01]\d-[0-3]\d$/),
        fc.stringMatching(/^[-0-9 ]{0,11}$/),
      ); // prettier-ignore
        const label = fc.oneof(fc.constant('eu'), fc.string({ unit: 'binary', maxLength: 5 }));
        const field = (text: string): string =>
          /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
        await fc.assert(
        fc.asyncProperty(period, label, value, async (period, label, value) => {
          const record = [period, label, value].map(field).join(',');
          // In a file the same text would be two lines, or a blank one.
          fc.pre(!record.includes('\n') && !isBlank([period, label, value]));
          // A byte order mark before a cell is no part of it, and labels are trimmed.
          const [day = '', number = ''] = [period, value].map((text) => text.replace(/^\ufeff+/, ''));
          const sent = { period: day, label: normalText(label), value: number };
          const problem = valueProblem(rules, '2026-02-07', sent);
          const answer = await upload(tenant, `2000-01-01,first,1\n${record}\n`).then(
            () => null,
            (error: unknown) => (error as Error).message,
          );
          expect(answer).toBe(problem === null ? null : `line 2: ${problem.field}: ${problem.problem}`);
        }),
        { numRuns: warehouse.isDuckLake ? 50 : 300, examples: [['2026-01-05', 'eu', '1e-11'], ['\ufeff2026-01-05', ' e\u0301', '\ufeff-0'], ['2026-01-05', '\ufeff', '1'], ['2026-01-05', 'eu', `0.${'0'.repeat(50)}`]] },
      ); // prettier-ignore
      });
    });

    it('reports more than 200,000 lines of values', async () => {
      const tenant = await newTenant(region);
      const lines = Array.from({ length: 200_001 }, (_, index) => {
        const day = new Date(Date.UTC(2000, 0, 1) + Math.floor(index / 40) * DAY).toISOString().slice(0, 10);
        return `${day},label ${index % 40},${index}`;
      });
      expect(await rejection(tenant, `period,label,value\n${lines.join('\n')}\n`)).toMatch(
        /at most 200000 lines of values, got 200001/,
      );
      expect(await upload(tenant, `period,label,value\n${lines.slice(1).join('\n')}\n`)).toMatchObject({
        created: 200_000,
      });
      const [row] = await warehouse.query<{ count: string; sum: string }>(
        `SELECT count(*) AS count, sum(value) AS sum FROM metric_values WHERE org_id = $org AND metric_id = $metric`,
        { org: tenant.orgId, metric: tenant.metric.id },
      );
      // Σ 1…200,000
      expect(row).toEqual({ count: '200000', sum: '20000100000.0000000000' });
      // An error in the last line has its number too.
      const wrong = `${lines.slice(1, -1).join('\n')}\n2026-01-05,label,x\n`;
      const error = await upload(tenant, wrong).catch((caught: unknown) => caught);
      expect((error as Error).message).toMatch(/^line 200000: value/);
    });
  });
});
