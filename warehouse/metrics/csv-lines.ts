import { isUtf8 } from 'node:buffer';
import { CsvError, parse } from 'csv-parse/sync';
import { invalid } from '../../domain/shared/errors.ts';
import { forMessage } from '../../domain/shared/for-message.ts';

/**
 * Bytes parsed at a time. A block can hold the longest line. V8 soon frees the records of a small block. The service answers
 * other requests between two blocks.
 */
const BLOCK_BYTES = 10 * 1024;

/** Longest line: the longest label fits, even if all of it is quoted and escaped. */
const LONGEST_LINE_BYTES = 8 * 1024;

/** Most lines in one file. Blank lines count, because each line costs time. */
const MOST_LINES = 300_000;

const FORMAT = { record_delimiter: ['\n', '\r\n'], relax_column_count: true };
const LINE_FEED = 10;
const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/**
 * Yields the records of a CSV file, one block of lines at a time: UTF-8 with or without byte order mark, LF or CRLF, quotes as
 * in RFC 4180. A record is one line, because no text holds a line break. So each block is parsed on its own, in time and
 * memory that grow with its bytes. Throws `invalid` with the line, counted from 1.
 *
 * @param shown returns how an error shows the text of a line.
 */
export const csvLines = async function* (
  bytes: AsyncIterable<Buffer>,
  shown: (text: string) => string = forMessage,
): AsyncGenerator<string[][]> {
  let line = 1;
  for await (const lines of blocksOfLines(bytes)) {
    const block = line === 1 ? withoutMark(lines) : lines;
    const next = line + countLines(block, line, shown);
    const records = recordsOf(block, next - line);
    yield records;
    const wrong = line + records.length;
    if (wrong < next) {
      const got = shown(lineText(block, records.length));
      throw invalid(`line ${wrong}: expected quotes around whole fields, each on one line, got ${got}`);
    }
    line = next;
  }
};

const withoutMark = (bytes: Buffer): Buffer =>
  bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)
    ? bytes.subarray(BYTE_ORDER_MARK.length)
    : bytes;

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
const countLines = (block: Buffer, first: number, shown: (text: string) => string): number => {
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
};

/** Returns the records of a block of `lines` lines, up to the first that does not end on its line. */
const recordsOf = (block: Buffer, lines: number): string[][] => {
  const records = parsed(block);
  if (records.length === lines) return records;
  const spanning = records.findIndex((fields) => fields.some((field) => field.includes('\n')));
  return spanning === -1 ? records : records.slice(0, spanning);
};

const parsed = (block: Buffer): string[][] => {
  try {
    return parse(block, FORMAT);
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const sound = Number(error['records']);
    return sound === 0 ? [] : parse(block, { ...FORMAT, to: sound });
  }
};

const lineText = (block: Buffer, index: number): string =>
  (block.toString().split('\n')[index] ?? '').replace(/\r$/, '');
