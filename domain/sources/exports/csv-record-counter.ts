const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const QUOTE = 34;
const COMMA = 44;

/** The states of the counter: before a record, before a field, in a plain or quoted field, after a quote within quotes. */
const RECORD = 0;
const FIELD = 1;
const PLAIN = 2;
const QUOTED = 3;
const CLOSED = 4;

/**
 * Counts the records of a CSV file (RFC 4180) from its bytes alone. A blank line is not a record, and a line break within quotes
 * does not end one. A quote that never closes takes the rest of the file. The count checks the rows of the reader, and therefore
 * shares no code with it.
 */
export class CsvRecordCounter {
  readonly #longBytes: number;
  #state = RECORD;
  #recordBytes = 0;
  #records = 0;
  #longRecords = 0;
  /** Whether the record so far has a line break within quotes, and text after a closing quote. */
  #hasBreak = false;
  #hasStrayQuote = false;
  #brokenRecords = 0;

  /** @param longBytes records of more bytes are also counted separately. */
  constructor(longBytes: number) {
    this.#longBytes = longBytes;
  }

  /** Reads the next bytes of the file. */
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
   * Returns the number of records, with the header row; of these, the number of long and of broken ones. A broken record has
   * several lines and quotes that do not match, so that it contains other records.
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
