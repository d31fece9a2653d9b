import { invalid, ServiceError } from '../../../domain/shared/errors.ts';

/** The charsets that a CSV file may be declared in. */
export const CSV_CHARSETS = ['utf-8', 'utf-16', 'utf-16le', 'utf-16be'] as const;

export type CsvCharset = (typeof CSV_CHARSETS)[number];

const MARK_BYTES = 2;
const LINE_FEED = '\n';
const HIGH_SURROGATE_AT_END = /[\ud800-\udbff]$/;

/**
 * Returns the bytes of a file in UTF-8. A byte order mark of UTF-16 decides, as spreadsheets write it. Without one, the declared
 * charset decides; `utf-16` alone does not say which byte comes first. Throws `invalid` for UTF-16 that is no text.
 *
 * @param declared the charset in the content type, or null.
 */
export const asUtf8 = async function* (
  bytes: AsyncIterable<Buffer>,
  declared: CsvCharset | null,
): AsyncGenerator<Buffer> {
  let start: Buffer | null = Buffer.alloc(0);
  let decoder: Utf16 | null = null;
  for await (const part of bytes) {
    let piece = part;
    if (start !== null) {
      start = Buffer.concat([start, part]);
      if (start.length < MARK_BYTES) continue;
      decoder = decoderOf(start, declared);
      [piece, start] = [start, null];
    }
    yield decoder === null ? piece : decoder.decode(piece);
  }
  if (start !== null && start.length > 0) {
    if (declared !== null && declared !== 'utf-8') throw withoutMark(declared);
    yield start;
  }
  decoder?.end();
};

const otherThanDeclared = (declared: string, got: string): Error =>
  new ServiceError(
    'unsupported_type',
    `content-type: expected text/csv with the charset of the file, got ${declared} for a file ${got}`,
  );

const withoutMark = (declared: string): Error =>
  otherThanDeclared(declared, 'without a byte order mark of UTF-16');

function decoderOf(start: Buffer, declared: CsvCharset | null): Utf16 | null {
  const mark = start.readUInt16BE(0);
  const marked = mark === 0xfffe ? 'utf-16le' : mark === 0xfeff ? 'utf-16be' : null;
  if (marked === null && declared === 'utf-16') throw withoutMark(declared);
  const isOther =
    marked !== null && (declared === 'utf-16le' || declared === 'utf-16be') && declared !== marked;
  if (isOther) throw otherThanDeclared(declared, `in ${marked}`);
  const charset = marked ?? declared;
  return charset === 'utf-16le' || charset === 'utf-16be' ? new Utf16(charset === 'utf-16be') : null;
}

/** Decodes UTF-16 in parts. */
class Utf16 {
  readonly #isBigEndian: boolean;
  #rest: Buffer = Buffer.alloc(0);
  #high = '';
  #line = 1;

  constructor(isBigEndian: boolean) {
    this.#isBigEndian = isBigEndian;
  }

  decode(part: Buffer): Buffer {
    const bytes = Buffer.concat([this.#rest, part]);
    const whole = bytes.length - (bytes.length % MARK_BYTES);
    this.#rest = bytes.subarray(whole);
    const pairs = Buffer.from(bytes.subarray(0, whole));
    const decoded = this.#high + (this.#isBigEndian ? pairs.swap16() : pairs).toString('utf16le');
    const isSplit = HIGH_SURROGATE_AT_END.test(decoded);
    this.#high = isSplit ? decoded.slice(-1) : '';
    const text = isSplit ? decoded.slice(0, -1) : decoded;
    const broken = text.search(/\p{Surrogate}/u);
    this.#line += text.slice(0, broken === -1 ? undefined : broken).split(LINE_FEED).length - 1;
    if (broken !== -1) throw this.#invalid();
    return Buffer.from(text);
  }

  /** Throws if the file ends within a character. */
  end(): void {
    if (this.#rest.length > 0 || this.#high !== '') throw this.#invalid();
  }

  #invalid(): Error {
    return invalid(`line ${this.#line}: expected UTF-16, got invalid UTF-16`);
  }
}
