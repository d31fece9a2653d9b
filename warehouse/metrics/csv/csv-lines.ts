import { isUtf8 } from 'node:buffer';
import { CsvError, parse } from 'csv-parse/sync';
import { declaredSeparator, SEPARATORS, type Separator } from '../../../domain/shared/text/csv-separator.ts';
import { invalid } from '../../../domain/shared/errors.ts';
import { forMessage } from '../../../domain/shared/text/for-message.ts';

/**
 * Bytes parsed at a time. A block can hold the longest line. V8 soon frees the records of a small block. The service answers
 * other requests between two blocks.
 */
const BLOCK_BYTES = 10 * 1024;

/** Longest line: the longest label fits, even if all of it is quoted and escaped. */
const LONGEST_LINE_BYTES = 8 * 1024;

/** Most lines in one file. Blank lines count, because each line costs time. */
const MOST_LINES = 300_000;

const LINE_FEED = 10;
const BYTE_ORDER_MARK = Buffer.from('\ufeff');

const formatOf = (delimiter: Separator) => ({
  record_delimiter: ['\n', '\r\n'],
  relax_column_count: true,
  delimiter,
});

/** Records that follow each other in a file. */
export interface CsvBlock {
  records: string[][];
  separator: Separator;
}

/** How to read a file. */
export interface CsvReading {
  /** Whether the fields of the first line are a header row. */
  isHeader: (fields: readonly string[]) => boolean;
  /** Returns how an error shows the text of a line. */
  shown?: (text: string) => string;
}

/**
 * Yields the records of a CSV file, one block of lines at a time: UTF-8 with or without byte order mark, LF or CRLF, quotes as
 * in RFC 4180. A record is one line, because no text holds a line break. So each block is parsed on its own, in time and
 * memory that grow with its bytes. Commas separate the columns, unless a first line `sep=;` or the header row proves semicolons
 * or tabs. A byte order mark before a cell is no part of it, because joined files keep theirs. Throws `invalid` with the line,
 * counted from 1.
 */
export const csvLines = async function* (
  bytes: AsyncIterable<Buffer>,
  { isHeader, shown = forMessage }: CsvReading,
): AsyncGenerator<CsvBlock> {
  let line = 1;
  let separator: Separator | null = null;
  for await (const lines of blocksOfLines(bytes)) {
    let block = line === 1 ? withoutMark(lines) : lines;
    const next = line + countLines(block, line, shown);
    if (separator === null) ({ separator, block } = begunBy(block, isHeader));
    block = withoutInnerMarks(block);
    const records = recordsOf(block, next - line, separator ?? ',');
    yield { records, separator: separator ?? ',' };
    const wrong = line + records.length;
    if (wrong < next) {
      const got = shown(lineText(block, records.length));
      throw invalid(`line ${wrong}: expected quotes around whole fields, each on one line, got ${got}`);
    }
    line = next;
  }
};

/** Returns the separator that a file's first line proves, and null while all lines are blank. A declaration becomes a blank line. */
function begunBy(
  block: Buffer,
  isHeader: CsvReading['isHeader'],
): { separator: Separator | null; block: Buffer } {
  const start = block.findIndex((byte) => !BLANK_BYTES.includes(byte));
  if (start === -1) return { separator: null, block };
  const begin = block.lastIndexOf(LINE_FEED, start) + 1;
  const found = block.indexOf(LINE_FEED, begin);
  const end = found === -1 ? block.length : found;
  const line = block.subarray(begin, end).toString().replace(/\r$/, '');
  const declared = declaredSeparator(line);
  if (declared !== null)
    return { separator: declared, block: Buffer.concat([block.subarray(0, begin), block.subarray(end)]) };
  const separator = SEPARATORS.find((each) => isHeader(parsed(Buffer.from(line), each)[0] ?? []));
  return { separator: separator ?? ',', block };
}

/** Line ends, spaces and tabs. */
const BLANK_BYTES = [LINE_FEED, 13, 32, 9];

const withoutMark = (bytes: Buffer): Buffer =>
  bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)
    ? bytes.subarray(BYTE_ORDER_MARK.length)
    : bytes;

/** Removes byte order marks at the begin of cells. */
const withoutInnerMarks = (block: Buffer): Buffer =>
  block.includes(BYTE_ORDER_MARK)
    ? Buffer.from(block.toString().replaceAll(/((?:^|[\n,;\t])"?)\ufeff+/g, '$1'))
    : block;

/** Yields blocks that end with a line. Only the last block, or one that is longer than a line may be, does not. */
const blocksOfLines = async function* (bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let parts: Buffer[] = [];
  let size = 0;
  for await (const part of bytes) {
    parts.push(part);
    size += part.length;
    if (size < BLOCK_BYTES) continue;
    const block = Buffer.concat(parts);
    let from = 0;
    while (size - from >= BLOCK_BYTES) {
      const end = block.lastIndexOf(LINE_FEED, from + BLOCK_BYTES - 1) + 1;
      // A line as long as this is too long.
      yield block.subarray(from, end > from ? end : size);
      if (end <= from) return;
      from = end;
    }
    parts = [block.subarray(from)];
    size -= from;
  }
  if (size > 0) yield Buffer.concat(parts);
};

/** Returns the number of lines in a block. Throws for a line that is too long, is not UTF-8, or is one too many. */
function countLines(block: Buffer, first: number, shown: (text: string) => string): number {
  const isText = isUtf8(block);
  let count = 0;
  for (let from = 0; from < block.length; count += 1) {
    const end = block.indexOf(LINE_FEED, from);
    const bytes = block.subarray(from, end === -1 ? block.length : end);
    const line = first + count;
    if (line > MOST_LINES) throw invalid(`body: expected at most ${MOST_LINES} lines, got more`);
    // The cut of an overlong line may split a character.
    if (bytes.length > LONGEST_LINE_BYTES)
      throw invalid(
        `line ${line}: expected at most ${LONGEST_LINE_BYTES} bytes, got more: ${shown(bytes.toString())}`,
      );
    if (!isText && !isUtf8(bytes)) throw invalid(`line ${line}: expected UTF-8, got invalid UTF-8`);
    from += bytes.length + 1;
  }
  return count;
}

/** Returns the records of a block of `lines` lines, up to the first that does not end on its line. */
function recordsOf(block: Buffer, lines: number, separator: Separator): string[][] {
  const records = parsed(block, separator);
  if (records.length === lines) return records;
  const spanning = records.findIndex((fields) => fields.some((field) => field.includes('\n')));
  return spanning === -1 ? records : records.slice(0, spanning);
}

function parsed(block: Buffer, separator: Separator): string[][] {
  const format = formatOf(separator);
  try {
    return parse(block, format);
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const sound = Number(error['records']);
    return sound === 0 ? [] : parse(block, { ...format, to: sound });
  }
}

const lineText = (block: Buffer, index: number): string =>
  (block.toString().split('\n')[index] ?? '').replace(/\r$/, '');
