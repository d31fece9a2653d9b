const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const COMMA = 44;
const TAB = 9;
const SPACE = 32;
const DELETE = 127;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/** Finds the header of a CSV file, which is its first line, by the file's bytes alone. */
export class CsvHeader {
  readonly #mostBytes: number;
  readonly #mostColumns: number;
  #line: number[] = [];
  #hasBlankLine = false;
  #isWhole = false;

  /** Longer lines, and lines with more columns, are no header. */
  constructor({ mostBytes, mostColumns }: { mostBytes: number; mostColumns: number }) {
    this.#mostBytes = mostBytes;
    this.#mostColumns = mostColumns;
  }

  /** Takes the next bytes of the file. Returns whether the header is whole, so that no more bytes are needed. */
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

  /** Whether there was nothing so far but blank lines and a byte order mark. */
  get isAbsent(): boolean {
    const { length } = this.#line;
    return (
      length === 0 ||
      (length === BYTE_ORDER_MARK.length && this.#line.every((byte, at) => byte === BYTE_ORDER_MARK[at]))
    );
  }

  /** What the file has instead of a header in its first line; null where it has one, or nothing at all. */
  get problem(): string | null {
    if (this.isAbsent) return null;
    if (this.#hasBlankLine) return 'a blank line';
    if (this.#line.length > this.#mostBytes) return `a line of more than ${this.#mostBytes} bytes`;
    // Commas within a quoted name count as well.
    if (this.#line.filter((byte) => byte === COMMA).length >= this.#mostColumns)
      return `a line of more than ${this.#mostColumns} columns`;
    if (!this.#isUtf8()) return 'a text that is not UTF-8';
    return this.#line.some((byte) => (byte < SPACE && byte !== TAB) || byte === DELETE)
      ? 'a text with control characters'
      : null;
  }

  #isUtf8(): boolean {
    try {
      new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(this.#line));
      return true;
    } catch {
      return false;
    }
  }
}
