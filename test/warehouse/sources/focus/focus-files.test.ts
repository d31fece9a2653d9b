import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { formatOf } from '../../../../warehouse/sources/feeds/export-files.ts';
import { describeFile } from '../../../support/warehouse/describe-file.ts';
import { missingColumns } from '../../../../warehouse/sources/focus/focus-columns.ts';
import { openDuckDb } from '../../../support/warehouse/engines.ts';
import { dayLine, focusCsv, type FocusLine } from '../../../support/exports/focus-export.ts';
import {
  loadPaths,
  loadText,
  money,
  newOrganisation,
  newSource,
  spendByAccount,
  spendByDay,
  writeFiles,
  type LoadChanges,
} from '../../../support/warehouse/tenant.ts';
import { withOpened } from '../../../support/with-opened.ts';

const TWO_DAYS = [dayLine('2026-01-10', '1'), dayLine('2026-01-11', '2')];
const TWO_DAYS_SPEND = { '2026-01-10': money('1'), '2026-01-11': money('2') };

/** A load computes its rows in DuckDB, whatever stores them. `focus-publishing` stores them on both engines. */
describe('the files of a FOCUS export', () => {
  const test = withOpened(openDuckDb);

  const newTarget = async () => {
    const { id: orgId } = await newOrganisation(test.warehouse);
    return { orgId, sourceId: (await newSource(test.warehouse, orgId)).id };
  };
  /** Loads these files for a new organisation. */
  const loaded = async (files: Record<string, string | Buffer>, changes: LoadChanges = {}) => {
    const target = await newTarget();
    const result = await loadPaths(test, target, await writeFiles(test, files), changes);
    return { result, byDay: await spendByDay(test.warehouse, target.orgId) };
  };
  /** Writes the rows of a SELECT as Parquet. */
  const parquet = async (select: string): Promise<string> => {
    const [placeholder = ''] = await writeFiles(test, { placeholder: '' });
    const path = join(placeholder, '../focus.parquet');
    await test.warehouse.run(`COPY (${select}) TO '${path}' (FORMAT parquet)`);
    return path;
  };
  const loadedParquet = async (select: string) => {
    const target = await newTarget();
    const result = await loadPaths(test, target, [await parquet(select)]);
    return { result, byDay: await spendByDay(test.warehouse, target.orgId) };
  };

  describe('as CSV', () => {
    const csv = focusCsv(TWO_DAYS);
    const [header = '', ...rows] = csv.trimEnd().split('\n');

    it.each([
      ['with line feeds', csv],
      ['with carriage returns and line feeds', csv.replaceAll('\n', '\r\n')],
      ['with a byte order mark', `\uFEFF${csv}`],
      ['with a byte order mark before a quoted name', `\uFEFF${csv.replace(/^\w+/, '"$&"')}`],
      ['with every name quoted', csv.replace(header, header.replaceAll(/\w+/g, '"$&"'))],
      ['with blanks around every name', csv.replace(header, header.replaceAll(/\w+/g, ' $& '))],
      ['with byte order marks before cells', csv.replaceAll(/(?<=^|\n|,)(?=.)/g, '\ufeff')],
      ['without a line break at the end', csv.trimEnd()],
      ['with empty lines', `${header}\n\n${rows.join('\n\n')}\n\n\n`],
      [
        'with a comma at the end of every line',
        `${[header, ...rows].map((line) => `${line},`).join('\n')}\n`,
      ],
    ])('are read %s', async (_, text) => {
      const { byDay, result } = await loaded({ 'focus.csv': text });
      expect(byDay).toEqual(TWO_DAYS_SPEND);
      expect(result).toMatchObject({ rowsRead: 2, rowsRejected: 0 });
    });

    it('may have unnamed columns, and unknown columns with equal names', async () => {
      // A data frame that is written with its index has a first column without a name.
      const indexed = [`,${header}`, ...rows.map((row, index) => `${index},${row}`)].join('\n');
      const twins = [`${header},x_a,x_a,X_A`, ...rows.map((row) => `${row},1,2,3`)].join('\n');
      const named = [`${header},filename`, ...rows.map((row) => `${row},bill.csv`)].join('\n');
      const fileOf = [
        `${header},Export_File,export_file_`,
        ...rows.map((row) => `${row},bill.csv,bill.csv`),
      ].join('\n');
      const outcomes: Record<string, unknown> = {};
      for (const [name, text] of Object.entries({ indexed, twins, named, fileOf })) {
        outcomes[name] = await loaded({ 'focus.csv': `${text}\n` }).then(
          ({ byDay }) => byDay,
          (error: unknown) => String(error).split('\n')[0],
        );
      }
      expect(outcomes).toEqual({
        indexed: TWO_DAYS_SPEND,
        twins: TWO_DAYS_SPEND,
        named: TWO_DAYS_SPEND,
        fileOf: TWO_DAYS_SPEND,
      });
    });

    const tagged = (lineBreak: string): FocusLine[] => [
      dayLine('2026-01-10', '1', { Tags: `{"a": "one${lineBreak}two, ""three""",${lineBreak} "b": 2}` }),
      dayLine('2026-01-11', '2'),
    ];
    it.each([
      ['line feeds', '\n', '\n'],
      ['line feeds, in lines that end in CRLF', '\n', '\r\n'],
      ['CRLF, in lines that end in line feeds', '\r\n', '\n'],
      ['CRLF throughout', '\r\n', '\r\n'],
      ['carriage returns', '\r', '\n'],
    ])('may have line breaks in quoted tags: %s', async (_, within, between) => {
      // focusCsv quotes only \n, so other line breaks are inserted afterwards.
      const text = focusCsv(tagged('\n')).replaceAll(/("(?:[^"]|"")*")|\n/g, (match, quoted?: string) =>
        quoted === undefined ? between : match.replaceAll('\n', within),
      );
      const { byDay, result } = await loaded({ 'focus.csv': text });
      expect(byDay).toEqual(TWO_DAYS_SPEND);
      expect(result).toMatchObject({ rowsRead: 2, rowsRejected: 0 });
    });

    it('may be compressed', async () => {
      expect((await loaded({ 'focus.csv.gz': gzipSync(csv) })).byDay).toEqual(TWO_DAYS_SPEND);
    });

    it('may be compressed, with a name in capitals', async () => {
      expect((await loaded({ 'FOCUS.CSV.GZ': gzipSync(csv) })).byDay).toEqual(TWO_DAYS_SPEND);
    });

    it('may have a header row and no other rows', async () => {
      for (const text of [`${header}\n`, header]) {
        const { byDay, result } = await loaded({ 'focus.csv': text });
        expect(byDay).toEqual({});
        expect(result).toMatchObject({ months: [], rowsRead: 0, rowsRejected: 0, costTotal: '0' });
      }
      // Beside a file with rows it adds nothing.
      expect((await loaded({ 'a.csv': `${header}\n`, 'b.csv': csv })).byDay).toEqual(TWO_DAYS_SPEND);
    });

    it('may have invalid UTF-8 in columns that no load reads', async () => {
      const latin = Buffer.from(focusCsv([dayLine('2026-01-10', '1', { Tags: '{"a":"café"}' })]), 'latin1');
      expect((await loaded({ 'focus.csv': latin })).byDay).toEqual({ '2026-01-10': money('1') });
    });

    it('may differ in the order of their columns', async () => {
      const columns = header.split(',');
      const { byDay, result } = await loaded({
        'a.csv': csv,
        'b.csv': focusCsv(TWO_DAYS, columns.toReversed()),
        'c.csv': focusCsv(TWO_DAYS, [...columns, 'x_New']),
        'd.csv': csv,
      });
      expect(byDay).toEqual({ '2026-01-10': money('4'), '2026-01-11': money('8') });
      expect(result.rowsRead).toBe(8);
    });

    it('may be in folders with names like columns, as in AWS exports', async () => {
      const { byDay } = await loaded({
        'acme/data/BILLING_PERIOD=2026-01/focus-00001.csv.gz': gzipSync(csv),
        'acme/data/BILLING_PERIOD=2026-02/focus-00001.csv.gz': gzipSync(
          focusCsv([dayLine('2026-02-01', '4')]),
        ),
        // A folder's name must not replace a column.
        'acme/EffectiveCost=1000/ProviderName=Oracle/focus.csv': focusCsv([dayLine('2026-01-12', '8')]),
      });
      expect(byDay).toEqual({ ...TWO_DAYS_SPEND, '2026-01-12': money('8'), '2026-02-01': money('4') });
    });

    it('may have quotes and spaces in their names', async () => {
      expect((await loaded({ "o'clock (1) ü.csv": csv })).byDay).toEqual(TWO_DAYS_SPEND);
    });
  });

  describe('as Parquet', () => {
    const row = (columns: Record<string, string>): string => {
      const all: Record<string, string> = {
        BillingCurrency: `'USD'`,
        BillingPeriodStart: `TIMESTAMP '2026-01-01 00:00:00'`,
        ChargePeriodStart: `TIMESTAMP '2026-01-10 00:00:00'`,
        ChargePeriodEnd: `TIMESTAMP '2026-01-10 01:00:00'`,
        ProviderName: `'AWS'`,
        SubAccountId: `'1111'`,
        BilledCost: '1::DOUBLE',
        EffectiveCost: '1::DOUBLE',
        ...columns,
      };
      return `SELECT ${Object.entries(all)
        .map(([name, value]) => `${value} AS ${name}`)
        .join(', ')}`;
    };
    const union = (rows: Record<string, string>[]): string => rows.map(row).join(' UNION ALL ');

    /** Loads one file for each variant of a column in one load. Each variant has its own account. */
    const loadedVariants = async (variants: readonly Record<string, string>[]) => {
      const target = await newTarget();
      const paths: string[] = [];
      for (const [index, columns] of variants.entries())
        paths.push(await parquet(row({ ...columns, SubAccountId: `'variant ${index}'` })));
      await loadPaths(test, target, paths);
      const byAccount = await spendByAccount(test.warehouse, target.orgId);
      return variants.map((_, index) => byAccount[`variant ${index}`] ?? {});
    };

    it('have costs as decimals, doubles, whole numbers or text', async () => {
      const costs: [type: string, cost: string][] = [
        ['1234.567890123456::DECIMAL(38,18)', '1234.567890123456000'],
        ['1234.56::DECIMAL(18,2)', '1234.560000000000000'],
        ['5::INTEGER', '5.000000000000000'],
        ['0.1::DOUBLE', '0.100000000000000'],
        ['-1234.56::DOUBLE', '-1234.560000000000000'],
        ['1e-7::DOUBLE', '0.000000100000000'],
        ["'1.5E-3'", '0.001500000000000'],
        // The provider wrote the shortest decimal of this double, not its exact binary value.
        ['98765.4321::DOUBLE', '98765.432100000000000'],
        ['1234567.89::DOUBLE', '1234567.890000000000000'],
        ['1.25::FLOAT', '1.250000000000000'],
        ['-98765.43::FLOAT', '-98765.430000000000000'],
        ['3e-7::FLOAT', '0.000000300000000'],
      ];
      const spend = await loadedVariants(costs.map(([type]) => ({ EffectiveCost: type })));
      expect(costs.map(([type], index) => [type, spend[index]?.['2026-01-10']])).toEqual(costs);
    });

    it.each([
      ['true', 'true'],
      ["DATE '2026-01-10'", '2026-01-10'],
      ['[1.5]', '[1.5]'],
    ])('have no cost in %s', async (cost, got) => {
      await expect(loadedVariants([{ EffectiveCost: cost }])).rejects.toThrow(
        `1 of 1 rows cannot be read, more than 1 %: nothing was loaded. EffectiveCost: expected a decimal number, got "${got}"`,
      );
    });

    it('have times as timestamps, with a zone or without, as dates or text', async () => {
      const times = [
        "TIMESTAMP '2026-01-09 23:59:59'",
        "TIMESTAMPTZ '2026-01-10 01:59:59+02:00'",
        "DATE '2026-01-09'",
        "TIMESTAMP_NS '2026-01-09 23:59:59.999999999'",
        "TIMESTAMP_MS '2026-01-09 23:59:59.999'",
        "'2026-01-10T01:59:59+02:00'",
      ];
      const spend = await loadedVariants(
        times.map((time) => ({ ChargePeriodStart: time, ChargePeriodEnd: time })),
      );
      expect(times.map((time, index) => [time, Object.keys(spend[index] ?? {}).join()])).toEqual(
        times.map((time) => [time, '2026-01-09']),
      );
    });

    it('have billing periods of any of these types, and account ids as numbers', async () => {
      for (const period of ["DATE '2026-01-01'", "TIMESTAMPTZ '2026-01-01 02:00:00+02:00'", "'2026-01-01'"]) {
        const { byDay, result } = await loadedParquet(
          row({ BillingPeriodStart: period, SubAccountId: '123456789012::BIGINT' }),
        );
        expect([byDay, result.rowsRejected]).toEqual([{ '2026-01-10': money('1') }, 0]);
      }
    });

    it('have the three spellings of null in texts, and fall back like CSV', async () => {
      const { byDay, result } = await loadedParquet(
        union([
          { EffectiveCost: "'NULL'", BilledCost: "'3'", SubAccountId: "''", BillingAccountId: "'payer'" },
          { EffectiveCost: "'null'", BilledCost: "'4'", SubAccountId: "'null'", BillingAccountId: "'payer'" },
        ]),
      );
      expect(byDay).toEqual({ '2026-01-10': money('7') });
      expect(result).toMatchObject({ rowsRejected: 0, notes: [expect.stringContaining('BilledCost')] });
    });

    it('reject a cost that is not a number, instead of treating it as missing', async () => {
      for (const cost of ["'NaN'::DOUBLE", "'Infinity'::DOUBLE"]) {
        await expect(loadedParquet(row({ EffectiveCost: cost }))).rejects.toThrow(
          /EffectiveCost: expected a decimal number/,
        );
      }
    });

    it.each([
      ['TIMESTAMPTZ', ['make_timestamptz(-9223372036854775806)', 'make_timestamptz(9223372036854775806)']],
      ['TIMESTAMP', ['make_timestamp(-9223372036854775806)', 'make_timestamp(9223372036854775806)']],
      ['DATE', ["DATE '5881580-07-10'"]],
    ])('lose only the rows with a time in %s that DuckDB cannot convert', async (type, wrong) => {
      const times = {
        ChargePeriodStart: "TIMESTAMP '2026-01-10'",
        ChargePeriodEnd: "TIMESTAMP '2026-01-10'",
        BillingPeriodStart: "TIMESTAMP '2026-01-01'",
        BillingPeriodEnd: "TIMESTAMP '2026-02-01'",
      };
      let bad = 0;
      const columns = Object.entries(times).map(([column, time]) => {
        const cases = wrong.map((value) => `WHEN ${bad++} THEN ${value}`).join(' ');
        return [column, `CASE i ${cases} ELSE ${time}::${type} END`] as const;
      });
      const { byDay, result } = await loadedParquet(
        `${row(Object.fromEntries(columns))} FROM range(1000) AS rows(i)`,
      );
      expect(byDay).toEqual({ '2026-01-10': money(String(1000 - bad)) });
      expect(result).toMatchObject({ rowsRead: 1000, rowsRejected: bad });
      const columnsOfProblems = result.rejectedSamples.map(
        ({ problem }) => /^(\w+): expected a UTC time/.exec(problem)?.[1],
      );
      expect(new Set(columnsOfProblems)).toEqual(new Set(Object.keys(times)));
    });

    it('may have a column with the name of the file column of a scan', async () => {
      const columns = { export_file: "'bill'", SubAccountId: "'1'" };
      const { byDay, result } = await loadedParquet(row(columns));
      expect([byDay, result.rowsRejected]).toEqual([{ '2026-01-10': money('1') }, 0]);
    });

    it('can be read together with CSV', async () => {
      const target = await newTarget();
      const paths = [
        await parquet(row({})),
        ...(await writeFiles(test, { 'focus.csv': focusCsv(TWO_DAYS) })),
      ];
      await loadPaths(test, target, paths);
      expect(await spendByDay(test.warehouse, target.orgId)).toEqual({
        '2026-01-10': money('2'),
        '2026-01-11': money('2'),
      });
    });

    it('are rejected if they are not Parquet', async () => {
      const [path = ''] = await writeFiles(test, { 'focus.parquet': 'not a Parquet file at all' });
      await expect(test.warehouse.session((session) => describeFile(session, path))).rejects.toThrow(
        /No magic bytes found|too small to be a Parquet file/,
      );
    });
  });

  describe('with rows that cannot be read', () => {
    const good = (count: number): FocusLine[] =>
      Array.from({ length: count }, () => dayLine('2026-01-10', '1'));

    it('are loaded without them up to exactly one in a hundred, and rejected above', async () => {
      const bad = dayLine('2026-01-10', 'free');
      const most = await loaded({ 'focus.csv': focusCsv([...good(99), bad]) });
      expect(most.byDay).toEqual({ '2026-01-10': money('99') });
      expect(most.result).toMatchObject({ rowsRead: 100, rowsRejected: 1, costTotal: money('99') });
      await expect(loaded({ 'focus.csv': focusCsv([...good(98), bad]) })).rejects.toMatchObject({
        kind: 'invalid',
        message:
          '1 of 99 rows cannot be read, more than 1 %: nothing was loaded. ' +
          'EffectiveCost: expected a decimal number, got "free" (1 rows)',
      });
      // Of 201 rows two may be bad, but not three.
      const third = [...good(198), bad, bad, bad];
      await expect(loaded({ 'focus.csv': focusCsv(third) })).rejects.toThrow('3 of 201 rows');
      expect((await loaded({ 'focus.csv': focusCsv([...good(199), bad, bad]) })).result.rowsRejected).toBe(2);
    });

    it('change nothing if they are rejected', async () => {
      const target = await newTarget();
      await loadText(test, target, focusCsv(TWO_DAYS));
      const before = await test.warehouse.query('SELECT * FROM loads WHERE org_id = $org', {
        org: target.orgId,
      });
      const wrong = focusCsv([dayLine('2026-01-10', '500'), dayLine('2026-01-10', 'x')]);
      await expect(loadText(test, target, wrong)).rejects.toThrow('1 of 2 rows');
      expect(await spendByDay(test.warehouse, target.orgId)).toEqual(TWO_DAYS_SPEND);
      expect(
        await test.warehouse.query('SELECT * FROM loads WHERE org_id = $org', { org: target.orgId }),
      ).toEqual(before);
    });

    it('report each problem once, with its file and its number of rows', async () => {
      const wrong: [line: FocusLine, problem: string][] = [
        [{ EffectiveCost: '1,234.56' }, 'EffectiveCost: expected a decimal number, got "1,234.56"'],
        [{ EffectiveCost: 'NULL' }, 'EffectiveCost: expected a decimal number, got nothing'],
        [{ EffectiveCost: 'NaN' }, 'EffectiveCost: expected a decimal number, got "NaN"'],
        [{ EffectiveCost: '1e400' }, 'EffectiveCost: expected a decimal number of at most 1e15, got "1e400"'],
        [{ ChargePeriodStart: '10/01/2026' }, 'ChargePeriodStart: expected a UTC time, got "10/01/2026"'],
        [{ ChargePeriodStart: 'NULL' }, 'ChargePeriodStart: expected a UTC time, got nothing'],
        [
          { ChargePeriodEnd: '2026-02-30T00:00:00Z' },
          'ChargePeriodEnd: expected a UTC time, got "2026-02-30T00:00:00Z"',
        ],
        [
          { ChargePeriodEnd: '2026-01-09T23:59:59Z' },
          'ChargePeriodEnd: expected a time not before ChargePeriodStart, got "2026-01-09T23:59:59Z"',
        ],
        [
          { ChargePeriodEnd: '2226-01-10T00:00:00Z' },
          'ChargePeriodEnd: expected a UTC time from 1970 to 10 years from now, got "2226-01-10T00:00:00Z"',
        ],
        [{ BillingPeriodStart: 'January' }, 'BillingPeriodStart: expected a UTC time, got "January"'],
        [{ BillingPeriodStart: '' }, 'BillingPeriodStart: expected a UTC time, got nothing'],
        [{ BillingCurrency: 'null' }, 'BillingCurrency: expected a currency, got nothing'],
        [{ ProviderName: '' }, 'ProviderName: expected a provider, got nothing'],
        [{ SubAccountId: '', BillingAccountId: 'NULL' }, 'SubAccountId: expected an account, got nothing'],
      ];
      const lines = [
        ...good(1600),
        ...wrong.map(([line]) => dayLine('2026-01-10', '1000', line)),
        dayLine('2026-01-10', 'NULL'), // a second one without a cost
      ];
      const { byDay, result } = await loaded({ 'focus.csv': focusCsv(lines) });
      expect(byDay).toEqual({ '2026-01-10': money('1600') });
      expect(result).toMatchObject({ rowsRead: 1615, rowsRejected: 15, costTotal: money('1600') });
      expect(result.rejectedSamples.map(({ problem }) => problem).sort()).toEqual(
        wrong.map(([, problem]) => problem).sort(),
      );
      expect(result.rejectedSamples[0]).toEqual({
        problem: 'EffectiveCost: expected a decimal number, got nothing',
        file: expect.stringMatching(/focus\.csv$/) as string,
        rows: 2,
      });
    });

    it('count lines that are not valid CSV, in files with different columns', async () => {
      const columns = [
        'EffectiveCost',
        'BillingCurrency',
        'ChargePeriodStart',
        'ChargePeriodEnd',
        'BillingPeriodStart',
        'ProviderName',
        'SubAccountId',
      ];
      const { byDay, result } = await loaded({
        'a.csv': `${focusCsv(good(150))}too,few\n`,
        'b.csv': `${focusCsv(good(149), columns)}1,2,3,4,5,6,7,8,9\n`,
      });
      expect(byDay).toEqual({ '2026-01-10': money('299') });
      expect(result).toMatchObject({ rowsRead: 301, rowsRejected: 2 });
      expect(result.rejectedSamples).toEqual([
        {
          problem: expect.stringMatching(/^line 152: missing columns/) as string,
          file: expect.stringMatching(/a\.csv$/) as string,
          rows: 1,
        },
        {
          problem: expect.stringMatching(/^line 151: too many columns/) as string,
          file: expect.stringMatching(/b\.csv$/) as string,
          rows: 1,
        },
      ]);
    });

    it('count broken lines once, although a fallback reads the files twice', async () => {
      const lines = Array.from({ length: 199 }, () => dayLine('2026-01-10', '0', { BilledCost: '1' }));
      const { byDay, result } = await loaded({ 'focus.csv': `${focusCsv(lines)}too,few\n` });
      expect(byDay).toEqual({ '2026-01-10': money('199') });
      expect(result).toMatchObject({ rowsRead: 200, rowsRejected: 1 });
      expect(result.rejectedSamples).toHaveLength(1);
    });

    it('validate only the amounts that a fallback uses', async () => {
      const lines = Array.from({ length: 199 }, () => dayLine('2026-01-10', '0', { BilledCost: '1' }));
      const { byDay, result } = await loaded({
        'focus.csv': focusCsv([...lines, dayLine('2026-01-10', '0', { BilledCost: 'x' })]),
      });
      expect(byDay).toEqual({ '2026-01-10': money('199') });
      expect(result.rejectedSamples.map(({ problem }) => problem)).toEqual([
        'BilledCost: expected a decimal number, got "x"',
      ]);
    });

    it('count rows of billing periods that were not requested as left out', async () => {
      const text = focusCsv([
        dayLine('2026-01-10', 'x'),
        dayLine('2026-01-10', '1'),
        dayLine('2026-02-01', '2'),
      ]);
      const { byDay, result } = await loaded({ 'focus.csv': text }, { startMonth: '2026-02' });
      expect(byDay).toEqual({ '2026-02-01': money('2') });
      expect(result).toMatchObject({ rowsRead: 3, rowsRejected: 0, rowsLeftOut: 2 });
    });
  });

  describe('in another currency', () => {
    it('are rejected with its name, and nothing is stored', async () => {
      const target = await newTarget();
      const line = (currency: string) => dayLine('2026-01-10', '1', { BillingCurrency: currency });
      const text = focusCsv([line('USD'), line('EUR'), line('EUR'), line('GBP')]);
      await expect(loadText(test, target, text)).rejects.toMatchObject({
        kind: 'invalid',
        message:
          "BillingCurrency: expected USD, the organisation's currency, got EUR in 2 rows, GBP in 1 rows; " +
          'money is never converted, nothing was loaded',
      });
      expect(await spendByDay(test.warehouse, target.orgId)).toEqual({});
      for (const table of ['cloud_spend', 'account_names', 'loads']) {
        const rows = await test.warehouse.query(`SELECT * FROM ${table} WHERE org_id = $org`, {
          org: target.orgId,
        });
        expect(rows).toEqual([]);
      }
    });

    it('are accepted if only letter case or blanks differ', async () => {
      const lines = ['usd', ' USD', 'Usd '].map((currency) =>
        dayLine('2026-01-10', '1', { BillingCurrency: currency }),
      );
      expect((await loaded({ 'focus.csv': focusCsv(lines) })).byDay).toEqual({ '2026-01-10': money('3') });
    });

    it('are accepted in billing periods that were not requested', async () => {
      const text = focusCsv([
        dayLine('2026-01-10', '1', { BillingCurrency: 'EUR' }),
        dayLine('2026-02-01', '2'),
      ]);
      expect((await loaded({ 'focus.csv': text }, { startMonth: '2026-02' })).byDay).toEqual({
        '2026-02-01': money('2'),
      });
    });
  });
});

describe('the format of a file', () => {
  it.each([
    ['/a/b.csv', 'csv'],
    ['/a/b.CSV', 'csv'],
    ['/a/b.csv.gz', 'csv'],
    ['/a/b.snappy.parquet', 'parquet'],
    ['s3://bucket/a.parquet', 'parquet'],
    ['https://host/a.csv?sig=x.parquet', 'csv'],
    ['https://host/a.parquet?sig=x', 'parquet'],
    ['/a/b-Manifest.json', null],
    ['/a/b.csv.zip', null],
    ['/a/csv', null],
  ])('%s is %s', (path, format) => {
    expect(formatOf(path)).toBe(format);
  });
});

describe('mandatory columns', () => {
  const file = (names: string[]) => ({
    path: '/a.csv',
    opened: '/a.csv',
    format: 'csv' as const,
    count: null,
    columns: names.map((name) => ({ name, type: 'VARCHAR' })),
  });
  const enough = [
    'effectivecost',
    'BILLINGCURRENCY',
    'ChargePeriodStart',
    'ChargePeriodEnd',
    'BillingPeriodStart',
    'PublisherName',
    'BillingAccountId',
  ];

  it('are found in any letter case, and by any of their alternatives', () => {
    expect(missingColumns(file(enough), 'EffectiveCost')).toEqual([]);
  });

  it('are reported with their alternatives if they are missing', () => {
    expect(missingColumns(file(enough), 'BilledCost')).toEqual(['BilledCost']);
    expect(missingColumns(file([]), 'EffectiveCost')).toEqual([
      'EffectiveCost',
      'BillingCurrency',
      'ChargePeriodStart',
      'ChargePeriodEnd',
      'BillingPeriodStart',
      'ServiceProviderName or ProviderName or InvoiceIssuerName or PublisherName',
      'SubAccountId or BillingAccountId',
    ]);
  });
});
