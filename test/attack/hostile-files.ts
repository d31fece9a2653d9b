import { execFile } from 'node:child_process';
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { deepParquet } from '../support/exports/deep-parquet.ts';
import { fromCsv, writeTable } from '../support/warehouse/duckdb-files.ts';
import { dayLine, focusCsv, type FocusLine } from '../support/exports/focus-export.ts';
import { POISONED_FOCUS_ROWS } from './poisoned-rows.ts';

/** How the run of an export must end. Each stored row costs 1. */
type Ending = { error: RegExp } | { stored: number; rejected: number };

/** An export that a tenant may put at the location of its source. */
export interface HostileFile {
  /** Its fault. */
  title: string;
  /** The file's name, which decides how it is read. */
  file: string;
  /** Writes it. Its readable rows have this account, so that each file's spend can be told apart. */
  lay: (path: string, account: string) => Promise<void>;
  ending: Ending;
  /** The end of the source's location, if it is not the file. */
  glob?: string;
}

const GOOD_ROWS = 200;

const linesOf = (account: string, rows = GOOD_ROWS): FocusLine[] =>
  Array.from({ length: rows }, (_, index) =>
    dayLine('2026-01-10', '1', { SubAccountId: account, ResourceId: `r-${index}` }),
  );

/** Returns a valid export of {@link GOOD_ROWS} rows. */
const soundCsv = (account: string): string => focusCsv(linesOf(account));

async function parquetOf(path: string, account: string): Promise<void> {
  await writeFile(`${path}.source`, soundCsv(account));
  await writeTable(path, fromCsv(`${path}.source`));
  await rm(`${path}.source`);
}

/** Replaces a hostile export by a valid one. */
export async function layGood(path: string, account: string): Promise<void> {
  await rm(path, { recursive: true, force: true });
  await mkdir(dirname(path), { recursive: true });
  if (path.endsWith('.parquet')) await parquetOf(path, account);
  else await writeFile(path, path.endsWith('.gz') ? gzipSync(soundCsv(account)) : soundCsv(account));
}

/** Writes an export that changes the text of a valid one. */
const csv =
  (change: (text: string, account: string) => string | Buffer): HostileFile['lay'] =>
  (path, account) =>
    writeFile(path, change(soundCsv(account), account));

const gzip =
  (change: (bytes: Buffer) => Buffer): HostileFile['lay'] =>
  (path, account) =>
    writeFile(path, change(gzipSync(focusCsv(linesOf(account, 5_000)))));

const parquet =
  (change: (bytes: Buffer) => Buffer): HostileFile['lay'] =>
  async (path, account) => {
    await parquetOf(path, account);
    await writeFile(path, change(await readFile(path)));
  };

const part = (bytes: Buffer, share: number): Buffer => bytes.subarray(0, Math.floor(bytes.length * share));

/** Returns the bytes with those from a place on replaced. A negative place counts from the end. */
function overwritten(bytes: Buffer, place: number, by: Buffer): Buffer {
  const at = place < 0 ? bytes.length + place : place;
  return Buffer.concat([bytes.subarray(0, at), by, bytes.subarray(at + by.length)]);
}

/** Returns the text with another line after its first hundred. */
function withLine(text: string, line: string): string {
  const lines = text.split('\n');
  return [...lines.slice(0, 101), line, ...lines.slice(101)].join('\n');
}

/** Returns the text with another column in every line. */
const withColumns = (text: string, header: string, cell: string): string =>
  text
    .trimEnd()
    .split('\n')
    .map((line, index) => `${line},${index === 0 ? header : cell}\n`)
    .join('');

const longLine = (bytes: number): HostileFile['lay'] =>
  csv((text) => withLine(text, (text.split('\n')[1] ?? '').replace('Shop', 'x'.repeat(bytes))));

const whole = { stored: GOOD_ROWS, rejected: 0 };
const torn = { error: /is damaged: unexpected end of file; nothing was loaded$/ };
const POISONED_AMONG = 100 * POISONED_FOCUS_ROWS.length;

const unreadable: HostileFile = {
  title: 'a file without read permission',
  file: 'f.csv',
  lay: (path, account) => writeFile(path, soundCsv(account), { mode: 0 }),
  ending: { error: /Permission denied/ },
};

/** Files that must neither break their organisation's numbers nor count in part. */
export const HOSTILE_FILES: readonly HostileFile[] = [
  { title: 'gzip cut after a tenth', file: 'f.csv.gz', lay: gzip((bytes) => part(bytes, 0.1)), ending: torn },
  {
    title: 'gzip cut after 30 bytes',
    file: 'f.csv.gz',
    lay: gzip((bytes) => bytes.subarray(0, 30)),
    ending: torn,
  },
  { title: 'gzip cut at the half', file: 'f.csv.gz', lay: gzip((bytes) => part(bytes, 0.5)), ending: torn },
  {
    title: 'gzip without its last byte',
    file: 'f.csv.gz',
    lay: gzip((bytes) => bytes.subarray(0, -1)),
    ending: torn,
  },
  {
    title: 'gzip with a wrong checksum',
    file: 'f.csv.gz',
    lay: gzip((bytes) => overwritten(bytes, -8, Buffer.from('lies'))),
    ending: { error: /is damaged: incorrect data check/ },
  },
  {
    title: 'gzip with a wrong length',
    file: 'f.csv.gz',
    lay: gzip((bytes) => overwritten(bytes, -4, Buffer.from('lies'))),
    ending: { error: /is damaged: incorrect length check/ },
  },
  {
    title: 'gzip overwritten in its middle',
    file: 'f.csv.gz',
    lay: gzip((bytes) => overwritten(bytes, bytes.length >> 1, Buffer.alloc(64, 0xff))),
    ending: { error: /is damaged/ },
  },
  {
    title: 'gzip followed by rubbish',
    file: 'f.csv.gz',
    lay: gzip((bytes) => Buffer.concat([bytes, Buffer.from('rubbish')])),
    ending: { error: /is damaged: incorrect header check/ },
  },
  {
    title: 'text named .csv.gz',
    file: 'f.csv.gz',
    lay: csv((text) => text),
    ending: { error: /is damaged: incorrect header check/ },
  },
  ...[0.2, 0.5, 0.9, 0.999].map((share): HostileFile => ({
    title: `Parquet cut at ${share}`,
    file: 'f.parquet',
    lay: parquet((bytes) => part(bytes, share)),
    ending: { error: /No magic bytes found at end of file/ },
  })),
  {
    title: 'Parquet without its first bytes',
    file: 'f.parquet',
    lay: parquet((bytes) => bytes.subarray(4)),
    ending: { error: /Invalid/ },
  },
  {
    title: 'Parquet whose pages are overwritten',
    file: 'f.parquet',
    lay: parquet((bytes) => overwritten(bytes, 4, Buffer.alloc(bytes.length >> 2, 0xff))),
    ending: { error: /Invalid|don't know what type/ },
  },
  {
    title: 'Parquet whose footer is longer than the file',
    file: 'f.parquet',
    lay: parquet((bytes) => overwritten(bytes, -8, Buffer.from([0xff, 0xff, 0xff, 0x7f]))),
    ending: { error: /Footer length error/ },
  },
  {
    title: 'Parquet with more levels than the stack holds',
    file: 'f.parquet',
    lay: (path) => writeFile(path, deepParquet(50_000)),
    ending: { error: /^DuckDB crashed on the files/ },
  },
  {
    title: 'text named .parquet',
    file: 'f.parquet',
    lay: csv((text) => text),
    ending: { error: /No magic bytes found/ },
  },
  {
    title: 'nothing named .parquet',
    file: 'f.parquet',
    lay: csv(() => ''),
    ending: { error: /too small to be a Parquet file/ },
  },
  {
    title: 'a folder named .csv',
    file: 'f.csv',
    lay: async (path) => {
      await mkdir(path);
    },
    ending: { error: /no \.csv, \.csv\.gz or \.parquet file matches/ },
  },
  { title: 'nothing', file: 'f.csv', lay: csv(() => ''), ending: { error: /every file is empty/ } },
  {
    title: 'line feeds only',
    file: 'f.csv',
    lay: csv(() => '\n'.repeat(4_000_000)),
    ending: { error: /every file is empty/ },
  },
  {
    title: 'carriage returns only',
    file: 'f.csv',
    lay: csv(() => '\r'.repeat(1_000_000)),
    ending: { error: /every file is empty/ },
  },
  {
    title: 'NULs only',
    file: 'f.csv',
    lay: csv(() => Buffer.alloc(1_000_000)),
    ending: {
      error: /expected a header in the first line, got a text with control characters/,
    },
  },
  {
    title: 'a NUL in its header',
    file: 'f.csv',
    lay: csv((text) => text.replaceAll(/(?=\n)/g, ',x\0')),
    ending: { error: /expected a header in the first line, got a text with control characters/ },
  },
  {
    title: 'a header of 990,000 columns in 2 KB',
    file: 'f.csv.gz',
    lay: csv(() => gzipSync(`${'a,'.repeat(990_000)}\n`)),
    ending: { error: /expected a header in the first line, got a line of more than 10000 columns/ },
  },
  {
    title: 'a byte order mark only',
    file: 'f.csv',
    lay: csv(() => '\ufeff'),
    ending: { error: /every file is empty/ },
  },
  {
    title: 'UTF-16',
    file: 'f.csv',
    lay: csv((text) => Buffer.from(`\ufeff${text}`, 'utf16le')),
    ending: { error: /expected a header in the first line, got a text that is not UTF-8/ },
  },
  {
    title: 'Latin-1 in every line',
    file: 'f.csv',
    lay: csv((text) => Buffer.from(withColumns(text, 'Pr\xe9nom', '\xe9'), 'latin1')),
    ending: { error: /expected a header in the first line, got a text that is not UTF-8/ },
  },
  {
    title: 'a blank line before its header',
    file: 'f.csv',
    lay: csv((text) => `\n${text}`),
    ending: { error: /expected a header in the first line, got a blank line/ },
  },
  {
    title: 'a text in Latin-1',
    file: 'f.csv',
    lay: csv((text) =>
      Buffer.from(withLine(text, (text.split('\n')[1] ?? '').replace('Shop', 'Café')), 'latin1'),
    ),
    ending: { stored: 200, rejected: 1 },
  },
  {
    title: 'a NUL in a field',
    file: 'f.csv',
    lay: csv((text) => withLine(text, (text.split('\n')[1] ?? '').replace('Shop', 'Sh\0op'))),
    ending: { stored: 201, rejected: 0 },
  },
  {
    title: 'a line of 2.1 MB',
    file: 'f.csv',
    lay: longLine(2_100_000),
    ending: { stored: 200, rejected: 1 },
  },
  {
    title: 'a line of 40 MB',
    file: 'f.csv',
    lay: longLine(40_000_000),
    ending: { stored: 200, rejected: 1 },
  },
  {
    title: 'a quote that never closes',
    file: 'f.csv',
    lay: csv((text) => withLine(text, '"1,2')),
    ending: { error: /has a quote that never closes/ },
  },
  {
    title: 'line ends of both kinds',
    file: 'f.csv',
    lay: csv((text) => {
      let count = 0;
      return text.replaceAll('\n', () => (++count % 2 === 0 ? '\n' : '\r\n'));
    }),
    ending: { error: /f\.csv cannot be read as CSV, usually because it mixes line endings/ },
  },
  {
    title: 'carriage returns between its rows',
    file: 'f.csv',
    lay: csv((text) => text.replaceAll('\n', '\r')),
    ending: whole,
  },
  {
    title: 'a header only',
    file: 'f.csv',
    lay: csv((text) => text.slice(0, text.indexOf('\n') + 1)),
    ending: { stored: 0, rejected: 0 },
  },
  {
    title: 'rows without their header',
    file: 'f.csv',
    lay: csv((text) => text.slice(text.indexOf('\n') + 1)),
    ending: { error: /mandatory column .* is missing/ },
  },
  {
    title: 'a mandatory column twice',
    file: 'f.csv',
    lay: csv((text) => withColumns(text, 'EffectiveCost', '7')),
    ending: { error: /mandatory column EffectiveCost appears more than once/ },
  },
  {
    title: 'a mandatory column twice in Parquet',
    file: 'f.parquet',
    lay: async (path, account) => {
      const lines = linesOf(account).map((line) => ({ ...line, EffectiveTosc: '7' }));
      await writeFile(`${path}.source`, focusCsv(lines));
      await writeTable(path, fromCsv(`${path}.source`));
      await rm(`${path}.source`);
      const text = (await readFile(path)).toString('latin1').replaceAll('EffectiveTosc', 'EffectiveCost');
      await writeFile(path, text, 'latin1');
    },
    ending: { error: /mandatory column EffectiveCost appears more than once/ },
  },
  {
    title: 'another column twice',
    file: 'f.csv',
    lay: csv((text) => withColumns(text, 'Remark,Remark', 'a,b')),
    ending: whole,
  },
  {
    title: '5,000 columns',
    file: 'f.csv',
    lay: csv((text) =>
      withColumns(
        text,
        Array.from({ length: 5_000 }, (_, index) => `x_${index}`).join(','),
        ','.repeat(4_999),
      ),
    ),
    ending: whole,
  },
  {
    title: 'every poisoned row',
    file: 'f.csv',
    lay: (path, account) =>
      writeFile(
        path,
        focusCsv([
          ...linesOf(account, POISONED_AMONG),
          ...POISONED_FOCUS_ROWS.map(([row]) =>
            dayLine('2026-01-10', '7', { SubAccountId: account, ...row }),
          ),
        ]),
      ),
    ending: { stored: POISONED_AMONG, rejected: POISONED_FOCUS_ROWS.length },
  },
  {
    title: 'a glob with two recursive parts',
    file: 'f.csv',
    glob: '**/**',
    lay: csv((text) => text),
    ending: whole,
  },
  {
    title: 'a glob whose bracket never closes',
    file: 'f.csv',
    glob: '[f.csv',
    lay: csv((text) => text),
    ending: { error: /no \.csv, \.csv\.gz or \.parquet file matches/ },
  },
  {
    title: 'a broken link',
    file: 'f.csv',
    lay: (path) => symlink(join(dirname(path), 'gone.csv'), path),
    ending: { error: /SOURCE_ROOTS/ },
  },
  {
    title: 'a link to itself',
    file: 'f.csv',
    lay: (path) => symlink(path, path),
    ending: { error: /SOURCE_ROOTS/ },
  },
  {
    title: 'a pipe without a writer',
    file: 'f.csv',
    lay: async (path) => {
      await promisify(execFile)('mkfifo', [path]);
    },
    ending: { error: /expected a regular file, got a folder, pipe or device/ },
  },
  // The superuser can read every file.
  ...(process.getuid?.() === 0 ? [] : [unreadable]),
];
