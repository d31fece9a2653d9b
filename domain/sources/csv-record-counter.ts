const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const QUOTE = 34;
const COMMA = 44;

/** Where the counter stands: before a record, before a field, in a plain or quoted one, behind a quote within quotes. */
const RECORD = 0;
const FIELD = 1;
const PLAIN = 2;
const QUOTED = 3;
const CLOSED = 4;

/**
 * Counts the records of a CSV file (RFC 4180) by its bytes alone. A blank line is no record. A line break within quotes
 * ends no record. A quote that never closes takes the rest of the file. It is the second count that the reading of a file is compared
 * with, so it shares nothing with the reader.
 */
export class CsvRecordCounter {
  readonly #longBytes: number;
  #state = RECORD;
  #recordBytes = 0;
  #records = 0;
  #longRecords = 0;
  /** Whether the record has a line break within quotes so far, and text behind a closing quote. */
  #hasBreak = false;
  #hasStrayQuote = false;
  #brokenRecords = 0;

  /** @param longBytes records of more bytes are counted apart as well. */
  constructor(longBytes: number) {
    this.#longBytes = longBytes;
  }

  /** Takes the next bytes of the file. */
  add(bytes: Uint8Array): void {
    let state = this.#state;
    let begin = -this.#recordBytes;
    const { length } = bytes;
    for (let at = 0; at < length; at += 1) {
      const byte = bytes[at];
      if (state === QUOTED) {
        if (byte === QUOTE) state = CLOSED;
        else if (byte === LINE_FEED) this.#hasBreak = true;
      } else if (byte === LINE_FEED || byte === CARRIAGE_RETURN) {
        if (state !== RECORD) this.#end(at - begin);
        state = RECORD;
        begin = at + 1;
      } else if (byte === QUOTE) {
        state = state === PLAIN ? PLAIN : QUOTED;
      } else if (byte === COMMA) {
        state = FIELD;
      } else {
        if (state === CLOSED) this.#hasStrayQuote = true;
        state = PLAIN;
      }
    }
    this.#state = state;
    this.#recordBytes = length - begin;
  }

  /**
   * How many records there were, with the header; of them those that are long, and those of several lines whose quotes do
   * not match: other records lie within them.
   */
  end(): { records: number; longRecords: number; brokenRecords: number } {
    if (this.#state === QUOTED) this.#hasStrayQuote = true;
    if (this.#state !== RECORD) this.#end(this.#recordBytes);
    this.#state = RECORD;
    return {
      records: this.#records,
      longRecords: this.#longRecords,
      brokenRecords: this.#brokenRecords,
    };
  }

  #end(bytes: number): void {
    this.#records += 1;
    if (bytes > this.#longBytes) this.#longRecords += 1;
    if (this.#hasBreak && this.#hasStrayQuote) this.#brokenRecords += 1;
    this.#hasBreak = false;
    this.#hasStrayQuote = false;
  }
}
