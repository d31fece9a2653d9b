import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { appendFile, readFile, rename, symlink, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { ingestSource } from '../../../activities/sources/ingest-source.ts';
import type { LoadResult } from '../../../warehouse/sources/publishing/load.ts';
import { loadExtension } from '../../../warehouse/engine/opening/extensions.ts';
import type { Reader } from '../../../warehouse/engine/readers/reader.ts';
import { fromCsv, writeTable } from '../../support/warehouse/duckdb-files.ts';
import { openDuckDb } from '../../support/warehouse/engines.ts';
import { lacking } from '../../support/needs.ts';
import { loading, ingestOf } from '../../support/warehouse/feeds.ts';
import { listenLocally, sendContent, serveFiles } from '../../support/fakes/file-server.ts';
import { dayLine, focusCsv } from '../../support/exports/focus-export.ts';
import { money, newOrganisation, newSource, spendByDay, writeFiles } from '../../support/warehouse/tenant.ts';
import { someOf, THOROUGH } from '../../support/effort.ts';
import { withOpened } from '../../support/with-opened.ts';

const why = lacking('extensions');

const DAY = '2026-01-10';
const csvOf = (rows: number, cost = '1'): string =>
  focusCsv(Array.from({ length: rows }, (_, index) => dayLine(DAY, cost, { ResourceId: `r-${index}` })));

/** A file that is damaged, ambiguous or changing fails its load, and changes nothing. */
describe('an export file', () => {
  const test = withOpened(openDuckDb);

  /** Makes a source with a good load of 5. Its next load reads the content. */
  const newStory = async (content: string | Buffer, name = 'focus.csv') => {
    const [location = ''] = await writeFiles(test, { [name]: content });
    return storyOf(location);
  };
  const storyOf = async (location: string) => {
    const { id: orgId } = await newOrganisation(test.warehouse);
    const [before = ''] = await writeFiles(test, { 'before.csv': csvOf(1, '5') });
    const source = await newSource(test.warehouse, orgId, { location });
    const ingest = (from: string, lend = (reader: Reader): Reader => reader): Promise<LoadResult> =>
      loading(test, async (sessions) => {
        if (why === '') await loadExtension(sessions.reader, 'httpfs', test.settings.extensions);
        return ingestSource(
          { ...source, location: from },
          ingestOf(test, { ...sessions, reader: lend(sessions.reader) }, { orgId, sourceId: source.id }),
        );
      });
    await ingest(before);
    return {
      path: location,
      ingest: (lend?: (reader: Reader) => Reader) => ingest(location, lend),
      spend: () => spendByDay(test.warehouse, orgId),
    };
  };
  const UNCHANGED = { [DAY]: money('5') };

  describe('that is large', () => {
    // A process of its own counts the rows. 375 random bytes in each of 50,000 rows take 18.75 MB, however they are compressed.
    const randomId = (): string => randomBytes(375).toString('base64url');
    const lines = Array.from({ length: 50_000 }, (_, index) =>
      dayLine(DAY, '1', { ResourceId: `r-${index % 1_000}`, SkuId: randomId() }),
    );
    const whole = gzipSync(focusCsv(lines));

    it('is read if it is whole, and fails without its last bytes', async () => {
      expect(whole.length).toBeGreaterThan(16 * 2 ** 20);
      const story = await newStory(whole, 'focus.csv.gz');
      expect(await story.ingest()).toMatchObject({ rowsRead: 50_000, rowsRejected: 0 });
      expect(await story.spend()).toEqual({ [DAY]: money('50000') });
      const cut = await newStory(whole.subarray(0, -4), 'focus.csv.gz');
      await expect(cut.ingest()).rejects.toThrow(/focus\.csv\.gz is damaged: unexpected end of file/);
      expect(await cut.spend()).toEqual(UNCHANGED);
    });
  });

  describe('that is compressed', () => {
    const text = csvOf(20_000);
    const whole = gzipSync(text);

    it('is read if it is whole, even in several gzip members', async () => {
      const half = text.lastIndexOf('\n', text.length / 2) + 1;
      const parts = Buffer.concat([gzipSync(text.slice(0, half)), gzipSync(text.slice(half))]);
      for (const content of [whole, parts]) {
        const story = await newStory(content, 'focus.csv.gz');
        expect(await story.ingest()).toMatchObject({ rowsRead: 20_000, rowsRejected: 0 });
        expect(await story.spend()).toEqual({ [DAY]: money('20000') });
      }
    });

    it.each(someOf([0.1, 0.5, 0.9, 0.999], 1))('fails if only a part of it is there: %d', async (part) => {
      const story = await newStory(whole.subarray(0, Math.floor(whole.length * part)), 'focus.csv.gz');
      await expect(story.ingest()).rejects.toThrow(/focus\.csv\.gz is damaged: unexpected end of file/);
      expect(await story.spend()).toEqual(UNCHANGED);
    });

    it.each(someOf([1, 4, 8], 1))(
      'fails if its last %d bytes are missing, although it has every row',
      async (bytes) => {
        const story = await newStory(whole.subarray(0, whole.length - bytes), 'focus.csv.gz');
        await expect(story.ingest()).rejects.toThrow('is damaged: unexpected end of file');
        expect(await story.spend()).toEqual(UNCHANGED);
      },
    );

    const damages: [string, number, string][] = [
      ['checksum', 8, 'incorrect data check'],
      ['length', 4, 'incorrect length check'],
    ];
    it.each(someOf(damages, 1))('fails if its %s is wrong', async (_, fromEnd, message) => {
      const content = Buffer.from(whole);
      content[whole.length - fromEnd] = (whole.at(-fromEnd) ?? 0) ^ 1;
      const story = await newStory(content, 'focus.csv.gz');
      await expect(story.ingest()).rejects.toThrow(`is damaged: ${message}`);
      expect(await story.spend()).toEqual(UNCHANGED);
    });

    it('fails if damage leaves no row of it, also beside a whole file', async () => {
      const nothing = gzipSync('');
      const damaged = [
        ...[5, 10, 11, 12, 18, 25, 30, 60].map((bytes) => whole.subarray(0, bytes)),
        nothing.subarray(0, -1),
        Buffer.concat([nothing.subarray(0, -8), Buffer.from([1, 2, 3, 4, 5, 0, 0, 0])]),
        Buffer.concat([nothing, whole.subarray(0, 10)]),
      ];
      const [, path = ''] = await writeFiles(test, { 'a.csv': csvOf(3), 'b.csv.gz': whole });
      const story = await storyOf(join(path, '../*.csv*'));
      for (const content of damaged) {
        await writeFile(path, content);
        await expect(story.ingest()).rejects.toThrow(/b\.csv\.gz is damaged: |not a GZIP stream/);
        expect(await story.spend()).toEqual(UNCHANGED);
      }
    });

    it('fails if its second gzip member is cut', async () => {
      const second = gzipSync(text.slice(text.indexOf('\n') + 1));
      const story = await newStory(
        Buffer.concat([whole, second.subarray(0, second.length / 2)]),
        'focus.csv.gz',
      );
      await expect(story.ingest()).rejects.toThrow('is damaged: unexpected end of file');
      expect(await story.spend()).toEqual(UNCHANGED);
    });
  });

  describe('that changes while it is read', () => {
    /** Wraps a reader, so that `before` runs right before it reads the rows, and `work` right after. */
    const meanwhile =
      (work: () => Promise<void>, before: () => Promise<void> = () => Promise.resolve()) =>
      (reader: Reader): Reader =>
        new Proxy(reader, {
          get: (target, name) => {
            if (name === 'run')
              return async (...[sql, parameters]: Parameters<Reader['run']>) => {
                const isReading = sql.includes('CREATE TEMP TABLE focus_roll_up');
                if (isReading) await before();
                const changed = await target.run(sql, parameters);
                if (isReading) await work();
                return changed;
              };
            const value: unknown = Reflect.get(target, name, target);
            return typeof value === 'function' ? (value.bind(target) as unknown) : value;
          },
        });

    it('fails if it grows, changes in place, or is replaced', async () => {
      const changes: ((path: string) => Promise<void>)[] = [
        (path) => appendFile(path, csvOf(1).split('\n')[1] ?? ''),
        async (path) => {
          await writeFile(path, csvOf(10, '2'));
          await utimes(path, new Date(), new Date('2030-01-01'));
        },
        async (path) => {
          await writeFile(`${path}.new`, csvOf(10, '3'));
          await rename(`${path}.new`, path);
        },
      ];
      for (const change of changes) {
        const story = await newStory(csvOf(10));
        await expect(story.ingest(meanwhile(() => change(story.path)))).rejects.toThrow(
          /^location: .*focus\.csv changed while it was read; nothing was loaded/,
        );
        expect(await story.spend()).toEqual(UNCHANGED);
        await story.ingest();
        expect(await story.spend()).not.toEqual(UNCHANGED);
      }
    });

    it.each(someOf(['csv', 'csv.gz', 'parquet'], 1))(
      'is read as it was checked, even if a link to another %s replaces it for a while',
      async (type) => {
        const [csv = ''] = await writeFiles(test, { 'written.csv': '' });
        const write = async (path: string, cost: string): Promise<void> => {
          await writeFile(csv, csvOf(10, cost));
          await writeTable(path, fromCsv(csv));
        };
        const story = await newStory('', `focus.${type}`);
        const [other = ''] = await writeFiles(test, { [`other.${type}`]: '' });
        await write(story.path, '1');
        await write(other, '7');
        const aside = `${story.path}.aside`;
        const swapIn = async (): Promise<void> => {
          await rename(story.path, aside);
          await symlink(other, story.path);
        };
        await story.ingest(meanwhile(() => rename(aside, story.path), swapIn));
        expect(await story.spend()).toEqual({ [DAY]: money('10') });
      },
    );

    it('keeps its name in samples and errors', async () => {
      const csvWith = (good: number): string =>
        focusCsv([...Array.from({ length: good }, () => dayLine(DAY, '1')), dayLine('no day', '1')]);
      const story = await newStory(csvWith(200));
      expect((await story.ingest()).rejectedSamples).toMatchObject([{ file: story.path, rows: 1 }]);
      await writeFile(story.path, csvWith(3));
      await expect(story.ingest()).rejects.toMatchObject({
        counts: { rejectedSamples: [{ file: story.path, rows: 1 }] },
      });
      await writeFile(story.path, `${csvOf(2).replace('\n', '\r\n')}\r\r\n${csvOf(2)}`);
      await expect(story.ingest()).rejects.toThrow(`${story.path} cannot be read as CSV`);
    });

    it.skipIf(why !== '')(`fails if its host returns another ETag${why}`, async () => {
      const files = { content: csvOf(10), version: 1 };
      const server = await listenLocally((request, response) => {
        const tagged = Object.assign(response, {});
        const writeHead = tagged.writeHead.bind(tagged);
        tagged.writeHead = ((status: number, headers: Record<string, string>) =>
          writeHead(status, { ...headers, etag: `"v${files.version}"` })) as typeof tagged.writeHead;
        sendContent(request, tagged, Buffer.from(files.content));
      });
      const story = await storyOf(`${server.url}/focus.csv`);
      const newer = () => {
        files.version = 2;
        return Promise.resolve();
      };
      await expect(story.ingest(meanwhile(newer))).rejects.toThrow('changed while it was read');
      expect(await story.spend()).toEqual(UNCHANGED);
      await story.ingest();
      expect(await story.spend()).toEqual({ [DAY]: money('10') });
      await server.close();
    });

    it.skipIf(why !== '')(`fails if its host announces fewer bytes than it serves${why}`, async () => {
      const content = Buffer.from(csvOf(200));
      const server = await listenLocally((request, response) => {
        if (request.method !== 'HEAD') sendContent(request, response, content);
        else
          response
            .writeHead(200, {
              'content-length': csvOf(50).length,
              'accept-ranges': 'bytes',
              'last-modified': 'Sat, 07 Feb 2026 05:00:00 GMT',
              etag: `"${content.length}"`,
            })
            .end();
      });
      const story = await storyOf(`${server.url}/focus.csv`);
      await expect(story.ingest()).rejects.toThrow(
        /the files hold 200 rows, but the reader found \d+: .*, or a host that does not serve the same bytes each time; nothing was loaded$/,
      );
      expect(await story.spend()).toEqual(UNCHANGED);
      await server.close();
    });

    it.skipIf(why !== '')(`fails if its host has only a part of it${why}`, async () => {
      const whole = gzipSync(csvOf(5_000));
      const server = await serveFiles(
        new Map([
          ['/whole.csv.gz', whole],
          ['/half.csv.gz', whole.subarray(0, whole.length / 2)],
        ]),
      );
      const half = await storyOf(`${server.url}/half.csv.gz?sig=secret`);
      await expect(half.ingest()).rejects.toThrow(/half\.csv\.gz is damaged: unexpected end of file/);
      await expect(half.ingest()).rejects.not.toThrow('secret');
      const story = await storyOf(`${server.url}/whole.csv.gz`);
      await story.ingest();
      expect(await story.spend()).toEqual({ [DAY]: money('5000') });
      await server.close();
    });
  });

  const SPELLINGS = ['EffectiveCost', 'effectivecost', ' EffectiveCost '];

  it('fails if it has a mandatory column twice, because either could count', async () => {
    const [header = '', row = ''] = csvOf(1).split('\n');
    const twice = (name: string): string => `${header},${name}\n${row},9\n`;
    for (const name of someOf(SPELLINGS, 1)) {
      const story = await newStory(twice(name));
      await expect(story.ingest()).rejects.toThrow(
        /focus\.csv: mandatory column EffectiveCost appears more than once; nothing was loaded/,
      );
      expect(await story.spend()).toEqual(UNCHANGED);
    }
    // The load does not read this column.
    const other = await newStory(twice('BilledCost'));
    await other.ingest();
    expect(await other.spend()).toEqual({ [DAY]: money('1') });
  });

  it('fails if it is Parquet with a mandatory column twice', async () => {
    const [csv = ''] = await writeFiles(test, { 'source.csv': csvOf(1) });
    const parquetOf = async (name: string, fields = '1'): Promise<Buffer> => {
      const path = join(csv, '../made.parquet');
      // No writer makes two columns with one name, so that the bytes are changed afterwards.
      const select = `SELECT *, ${fields} AS x_Fields, '9' AS "${'x'.repeat(name.length)}" FROM (${fromCsv(csv)})`;
      await writeTable(path, select);
      const text = (await readFile(path)).toString('latin1').replaceAll('x'.repeat(name.length), name);
      return Buffer.from(text, 'latin1');
    };
    for (const name of someOf(SPELLINGS, 1)) {
      const story = await newStory(await parquetOf(name), 'focus.parquet');
      await expect(story.ingest()).rejects.toThrow(
        /focus\.parquet: mandatory column EffectiveCost appears more than once; nothing was loaded/,
      );
      expect(await story.spend()).toEqual(UNCHANGED);
    }
    // The load does not read these columns.
    const fields = `{'EffectiveCost': 7, 'list': [{'EffectiveCost': 8}]}`;
    const other = await newStory(await parquetOf('BilledCost', fields), 'focus.parquet');
    await other.ingest();
    expect(await other.spend()).toEqual({ [DAY]: money('1') });
  });

  it('fails if it is Parquet with decimals of more than 38 digits in a column that is read', async () => {
    const [csv = ''] = await writeFiles(test, { 'source.csv': csvOf(200, '1.25') });
    /** DuckDB cannot write such a column, so that the footer is changed afterwards to more than 38 digits. */
    const parquetOf = async (name: string): Promise<Buffer> => {
      const path = join(csv, '../made.parquet');
      await writeTable(
        path,
        `SELECT * REPLACE (CAST(EffectiveCost AS DECIMAL(38,9)) AS EffectiveCost, CAST(BilledCost AS DECIMAL(38,9)) AS BilledCost),
           CAST(1 AS DECIMAL(38,9)) AS x_Other FROM (${fromCsv(csv)})`,
      );
      const content = await readFile(path);
      // Thrift writes the digits as `15 4c` after the name and the scale.
      const at = content.indexOf(Buffer.from([0x15, 0x4c]), content.indexOf(name));
      content[at + 1] = 2 * 50;
      return content;
    };
    for (const name of someOf(['EffectiveCost', 'BilledCost'], 1)) {
      const story = await newStory(await parquetOf(name), 'focus.parquet');
      await expect(story.ingest()).rejects.toThrow(
        `focus.parquet: column ${name}: expected decimals of at most 38 digits, got DECIMAL(50,9); nothing was loaded`,
      );
      expect(await story.spend()).toEqual(UNCHANGED);
    }
    // The load does not read this column.
    const other = await newStory(await parquetOf('x_Other'), 'focus.parquet');
    await other.ingest();
    expect(await other.spend()).toEqual({ [DAY]: money('250') });
  });

  describe('that has no header', () => {
    const csv = csvOf(3);
    const ingestBeside = async (content: string | Buffer, name = 'b.csv') => {
      const [path = ''] = await writeFiles(test, { 'a.csv': csvOf(2), [name]: content });
      return storyOf(join(path, '../*.csv*'));
    };

    const withoutRows: [string, string | Buffer, string?][] = [
      ['nothing', ''],
      ['blank lines', '\n\r\n\r\n'],
      ['a byte order mark', '\ufeff'],
      ['a byte order mark and blank lines', '\ufeff\n\n'],
      ['blank lines, compressed', gzipSync('\n\n'), 'b.csv.gz'],
      ['nothing, compressed', gzipSync(''), 'b.csv.gz'],
    ];
    it.each(someOf(withoutRows, 2))(
      'is left out with a note if it holds only %s',
      async (_, content, name = 'b.csv') => {
        const story = await ingestBeside(content, name);
        const { notes, rowsRead } = await story.ingest();
        expect({ notes, rowsRead }).toEqual({
          notes: [expect.stringMatching(/b\.csv(\.gz)? is empty and was left out$/)],
          rowsRead: 2,
        });
        expect(await story.spend()).toEqual({ [DAY]: money('2') });
      },
    );

    it('gets a note in the first fifty cases, and a last note counts the others', async () => {
      const empty = Array.from({ length: 53 }, (_, index) => [`empty-${index + 10}.csv`, ''] as const);
      const [path = ''] = await writeFiles(test, { 'a.csv': csvOf(2), ...Object.fromEntries(empty) });
      const { notes } = await (await storyOf(dirname(path))).ingest();
      expect(notes).toHaveLength(51);
      expect(notes.at(-1)).toBe('and 3 more');
    });

    const header = csv.slice(0, csv.indexOf('\n'));
    const rows = csv.slice(header.length);
    const latin = (text: string): Buffer => Buffer.from(text, 'latin1');
    const unreadable: [string, string | Buffer, string?][] = [
      ['a blank line', `\n${csv}`],
      ['a blank line', `\r\n${csv.replaceAll('\n', '\r\n')}`],
      ['a blank line', `\ufeff\n${csv}`],
      ['a blank line', `${'\n'.repeat(1_000_000)}${csv}`],
      ['a blank line', gzipSync(`\n${csv}`), 'b.csv.gz'],
      ['a text that is not UTF-8', latin(csv.replaceAll(/(?=\n)/g, ',\xe9'))],
      ['a text that is not UTF-8', latin(`${header},\xe9${rows.replaceAll(/(?!^)\n/g, ',1\n')}`)],
      // The reader would take the second line for the header.
      ['a text that is not UTF-8', latin(`\xe9,${header}\n${header}${rows}`)],
      ['a text that is not UTF-8', Buffer.from(`\ufeff${csv}`, 'utf16le')],
      ['a line of more than 10000 columns', csv.replaceAll(/(?=\n)/g, ','.repeat(9_990))],
      [
        'a line of more than 10000 columns',
        gzipSync(csv.replaceAll(/(?=\n)/g, ',a'.repeat(990_000))),
        'b.csv.gz',
      ],
      ['a text with control characters', csv.replaceAll(/(?=\n)/g, ',x\0')],
      // The reader would split the header at this character.
      ['a text with control characters', csv.replaceAll(/(?=\n)/g, ',x\u0001x')],
      ['a line of more than 2000000 bytes', csv.replaceAll(/(?=\n)/g, `,${'x'.repeat(2_000_000)}`)],
    ];
    it.each(someOf(unreadable, 3))(
      'fails if its first line is %s',
      async (problem, content, name = 'b.csv') => {
        const story = await ingestBeside(content, name);
        await expect(story.ingest()).rejects.toThrow(
          new RegExp(`b\\.csv\\S*: expected a header in the first line, got ${problem}; nothing was loaded$`),
        );
        expect(await story.spend()).toEqual(UNCHANGED);
      },
    );
  });

  it.each([
    ['semicolons', ';'],
    ['tabs', '\t'],
    ['vertical bars', '|'],
  ])('fails and says so if %s separate its columns', async (words, separator) => {
    for (const text of [csvOf(2), csvOf(2).replaceAll(/\w+/g, '"$&"')]) {
      const [path = ''] = await writeFiles(test, { 'a.csv': text.replaceAll(',', separator) });
      const story = await storyOf(path);
      await expect(story.ingest()).rejects.toThrow(
        `a.csv: expected commas between the columns, got ${words}: export the file with commas; nothing was loaded`,
      );
    }
  });

  it('fails before the next file is read', async () => {
    const [path = ''] = await writeFiles(test, { 'a.csv': 'Day,Cost\n1,2\n', 'b.parquet': 'no Parquet' });
    const story = await storyOf(join(path, '..'));
    await expect(story.ingest()).rejects.toThrow(/a\.csv: mandatory column EffectiveCost; .* is missing/);
  });

  it.runIf(THOROUGH)('fails if it is one of many files with different headers of megabytes', async () => {
    const wide = (index: number): string =>
      csvOf(1).replaceAll(/(?=\n)/g, `,${String(index).repeat(1_990_000)}`);
    const files = Array.from({ length: 9 }, (_, index) => [`${index}.csv`, wide(index)] as const);
    const [path = ''] = await writeFiles(test, Object.fromEntries(files));
    const story = await storyOf(join(path, '..'));
    await expect(story.ingest()).rejects.toThrow(
      /8\.csv: expected files with the same columns, got 9 different headers of more than 16000000 characters in all/,
    );
  });

  it('fails if it is Parquet with too many fields, or with names that no header may have', async () => {
    const [csv = ''] = await writeFiles(test, { 'source.csv': csvOf(1) });
    const path = join(csv, '../made.parquet');
    const fields = Array.from({ length: 10_000 }, (_, index) => `'f${index}': 1`).join(', ');
    await writeTable(path, `SELECT *, {${fields}} AS x_Fields FROM (${fromCsv(csv)})`);
    const wide = await newStory(await readFile(path), 'focus.parquet');
    await expect(wide.ingest()).rejects.toThrow(
      /focus\.parquet: expected at most 10000 columns and fields, got 10017; nothing was loaded$/,
    );
    // No writer makes a name with control characters.
    await writeTable(path, `SELECT *, 1 AS "xxxxx" FROM (${fromCsv(csv)})`);
    const text = (await readFile(path)).toString('latin1').replaceAll('xxxxx', 'xx\0xx');
    const named = await newStory(Buffer.from(text, 'latin1'), 'focus.parquet');
    await expect(named.ingest()).rejects.toThrow(
      /focus\.parquet: expected column names without control characters, got "xx\\u0000xx"; nothing was loaded$/,
    );
  });

  describe('that DuckDB could read in part without an error', () => {
    const lines = csvOf(100_000).split('\n').slice(0, -1);
    const [header = '', ...rows] = lines;
    const fileOf = (middle: string): string =>
      [header, ...rows.slice(0, 50_000), middle, ...rows.slice(50_000), ''].join('\n');

    it('fails for a quote that never closes, because it hides an unknown number of rows', async () => {
      const small = [...lines.slice(0, 201), '"1,2', ...lines.slice(1, 101), ''].join('\n');
      const closedBySomeOther = [...lines.slice(0, 201), '"1,2', ...lines.slice(1, 101), 'a,"b",c', ''].join(
        '\n',
      );
      for (const content of [fileOf('"1,2'), small, closedBySomeOther]) {
        const story = await newStory(content);
        await expect(story.ingest()).rejects.toThrow(
          /has a quote that never closes, or closes within another/,
        );
        expect(await story.spend()).toEqual(UNCHANGED);
      }
    });

    it('fails for a quote that joins as many rows as lone carriage returns split', async () => {
      const sound = csvOf(1_000).split('\n').slice(0, -1);
      // DuckDB takes a carriage return for the end of a row if the row's last field is empty.
      const torn = sound.map((line, index) => (index === 0 ? `${line},x_Last` : `${line},`));
      const join = (at: number): void => {
        torn.splice(at, 2, `${torn[at] ?? ''}\r${torn[at + 1] ?? ''}`);
      };
      join(10);
      join(20);
      const whole = await newStory(`${torn.join('\n')}\n`);
      expect(await whole.ingest()).toMatchObject({ rowsRead: 1_000, rowsRejected: 0 });
      torn[30] = (torn[30] ?? '').replace('Shop', '"Shop');
      torn[32] = (torn[32] ?? '').replace('Shop', 'Sh"op');
      const story = await newStory(`${torn.join('\n')}\n`);
      await expect(story.ingest()).rejects.toThrow(
        /has a quote that never closes, or closes within another|rows, but the reader found \d+/,
      );
      expect(await story.spend()).toEqual(UNCHANGED);
    });

    it('fails if it is a pipe, whose reading would never end', async () => {
      const [path = ''] = await writeFiles(test, { 'beside.csv': csvOf(1) });
      await promisify(execFile)('mkfifo', [join(path, '../focus.csv')]);
      const story = await storyOf(join(path, '../focus.csv'));
      await expect(story.ingest()).rejects.toThrow(/^location: expected a regular file, got a folder, pipe/);
      expect(await story.spend()).toEqual(UNCHANGED);
    });

    it.each(someOf([2_100_000, 40_000_000], 1))(
      'loads without a line of %d bytes, which is rejected and counted',
      async (bytes) => {
        const story = await newStory(fileOf((rows[0] ?? '').replace('Shop', 'x'.repeat(bytes))));
        const result = await story.ingest();
        expect(result).toMatchObject({ rowsRead: 100_001, rowsRejected: 1, rowsLeftOut: 0 });
        expect(result.rejectedSamples).toHaveLength(1);
        expect(await story.spend()).toEqual({ [DAY]: money('100000') });
      },
    );

    it('fails for invalid UTF-8 and an extra field, which break DuckDB, while other loads go on', async () => {
      const unread = 'x,'.repeat(40);
      const bad = (rows[0] ?? '').replace('Shop', 'Caf\xe9');
      const content = [`${unread}${header}`, `${unread}${bad},more`, ''];
      const story = await newStory(Buffer.from(content.join('\n'), 'latin1'));
      const other = await newStory(fileOf(rows[0] ?? ''));
      const [failed, completed] = await Promise.allSettled([story.ingest(), other.ingest()]);
      expect(failed).toMatchObject({
        reason: {
          kind: 'invalid',
          message: expect.stringMatching(/^DuckDB crashed on the files.*nothing was loaded$/) as string,
        },
      });
      expect(completed).toMatchObject({ value: { rowsRead: 100_001, rowsRejected: 0 } });
      expect(await story.spend()).toEqual(UNCHANGED);
    });

    it('may have blank lines, line breaks in fields, and a last line without an end', async () => {
      const row = (rows[0] ?? '').replace('Shop', '"Sh\nop"');
      const story = await newStory([header, '', row, '', '', ...rows.slice(0, 9)].join('\n'));
      expect(await story.ingest()).toMatchObject({ rowsRead: 10, rowsRejected: 0 });
    });

    it('is read once if its name looks like a glob', async () => {
      const [path = ''] = await writeFiles(test, { 'focus[1].csv': csvOf(3), 'focus1.csv': csvOf(7) });
      const story = await storyOf(join(path, '..', 'focus*.csv'));
      await story.ingest();
      expect(await story.spend()).toEqual({ [DAY]: money('10') });
    });
  });
});
