const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const COMMA = 44;
const TAB = 9;
const SPACE = 32;
const DELETE = 127;
/** A cell of a line, quoted or not, and the comma after it. */
const CELL = /("(?:[^"]|"")*"|[^,]*)(?:,|$)/g;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/** Finds the header row of a CSV file, which is its first line, from the file's bytes alone. */
export class CsvHeader {
  readonly #mostBytes: number;
  readonly #mostColumns: number;
  #line: number[] = [];
  #hasBlankLine = false;
  #isWhole = false;

  /** A longer line, or one with more columns, is not a header row. */
  constructor({ mostBytes, mostColumns }: { mostBytes: number; mostColumns: number }) {
    this.#mostBytes = mostBytes;
    this.#mostColumns = mostColumns;
  }

  /** Reads the next bytes of the file. Returns whether the header row is complete, so that no more bytes are needed. */
  add(bytes: Uint8Array): boolean {
    for (const byte of bytes) {
      if (this.#isWhole) break;
      if (byte !== LINE_FEED && byte !== CARRIAGE_RETURN) this.#line.push(byte);
      else if (this.isAbsent) this.#hasBlankLine = true;
      else this.#isWhole = true;
      if (this.#line.length > this.#mostBytes) this.#isWhole = true;
    }
    return this.#isWhole;
  }

  /** Whether the file so far has only blank lines and a byte order mark. */
  get isAbsent(): boolean {
    const { length } = this.#line;
    return (
      length === 0 ||
      (length === BYTE_ORDER_MARK.length && this.#line.every((byte, at) => byte === BYTE_ORDER_MARK[at]))
    );
  }

  /** What the first line is instead of a header row; null if it is one, or if the file is empty. */
  get problem(): string | null {
    if (this.isAbsent) return null;
    if (this.#hasBlankLine) return 'a blank line';
    if (this.#line.length > this.#mostBytes) return `a line of more than ${this.#mostBytes} bytes`;
    // Commas within a quoted name count as well.
    if (this.#line.filter((byte) => byte === COMMA).length >= this.#mostColumns)
      return `a line of more than ${this.#mostColumns} columns`;
    if (this.#text === null) return 'a text that is not UTF-8';
    return this.#line.some((byte) => (byte < SPACE && byte !== TAB) || byte === DELETE)
      ? 'a text with control characters'
      : null;
  }

  /** The names of the columns in file order, as they are written, without quotes. A comma after the last name adds none, as in rows. */
  get names(): string[] {
    const cells = [...(this.#text ?? '').matchAll(CELL)].map(([, cell = '']) => cell);
    // The pattern also matches the empty text at the end.
    return cells.slice(0, -1).map((cell) => withoutOuterQuotes(cell).replaceAll('""', '"'));
  }

  /** The line without byte order marks; null if it is not UTF-8. */
  get #text(): string | null {
    try {
      return new TextDecoder('utf-8', { fatal: true })
        .decode(Uint8Array.from(this.#line))
        .replace(/^\uFEFF+/, '');
    } catch {
      return null;
    }
  }
}

/** Removes the quotes at both ends, in linear time. A pattern that ends in `"+$` takes quadratic time in a long run of quotes. */
function withoutOuterQuotes(cell: string): string {
  let [from, to] = [0, cell.length];
  while (from < to && cell[from] === '"') from += 1;
  while (to > from && cell[to - 1] === '"') to -= 1;
  return cell.slice(from, to);
}
