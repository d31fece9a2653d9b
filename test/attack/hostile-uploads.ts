/** A file that no honest client sends, with the error of its answer. The status is 400, unless `status` is set. */
export interface HostileUpload {
  name: string;
  content: () => Buffer;
  error: RegExp;
  status?: number;
}

const MEGABYTE = 1024 * 1024;
const GOOD = '2026-01-05,1\n';

/** Returns a text, repeated up to so many megabytes. */
const repeated = (text: string, megabytes: number, before = ''): Buffer =>
  Buffer.concat([
    Buffer.from(before),
    Buffer.alloc(
      Math.floor((megabytes * MEGABYTE) / Buffer.byteLength(text)) * Buffer.byteLength(text),
      text,
    ),
  ]);

const upload = (name: string, content: () => Buffer, error: RegExp, status = 400): HostileUpload => ({
  name,
  content,
  error,
  status,
});
const lines = (name: string, text: string | Buffer, error: RegExp): HostileUpload =>
  upload(name, () => Buffer.from(text), error);

/** None may take longer than its size explains. The largest have the maximum size of an upload. */
export const HOSTILE_UPLOADS: readonly HostileUpload[] = [
  upload('4 MB of line ends', () => repeated('\n', 4), /at most 300000 lines/),
  upload('62 MB of line ends', () => repeated('\n', 62), /at most 300000 lines/),
  upload('16 MB of CRLF and LF', () => repeated('\r\n\n', 16), /at most 300000 lines/),
  upload('16 MB of blank lines', () => repeated('  \t \n', 16), /at most 300000 lines/),
  upload('4 MB of carriage returns', () => repeated('\r', 4), /^line 1: expected at most 8192 bytes/),
  upload('62 MB of carriage returns', () => repeated('\r', 62), /^line 1: expected at most 8192 bytes/),
  upload('62 MB of one letter', () => repeated('x', 62), /^line 1: expected at most 8192 bytes/),
  upload('16 MB of spaces', () => repeated(' ', 16), /^line 1: expected at most 8192 bytes/),
  upload('62 MB of commas', () => repeated(',', 62), /^line 1: expected at most 8192 bytes/),
  upload('16 MB of quotes', () => repeated('"', 16), /^line 1: expected at most 8192 bytes/),
  upload('62 MB of lines of commas', () => repeated(`${','.repeat(8000)}\n`, 62), /got none/),
  upload('16 MB of lines with a quote', () => repeated('"\n', 16), /^line 1: expected quotes around whole fields/),
  upload('16 MB of quotes within fields', () => repeated('a"b"c\n', 16), /^line 1: expected quotes around whole fields/),
  upload('a quote that never closes', () => repeated('a\n', 62, `${GOOD}2026-01-06,"`), /^line 2: expected quotes around whole fields/),
  upload('62 MB of one value', () => repeated(GOOD, 62), /at most 200000 lines of values/),
  upload('values after 62 MB of a header', () => repeated('period,value\n', 62), /^line 2: period: /),
  upload('long numbers', () => repeated(`2026-01-05,0.${'0'.repeat(8000)}1\n`, 62), /^line 2: period: expected each period once/),
  upload('65 MB', () => repeated(GOOD, 65), /too large/, 413),
  lines('nothing', '', /got none/),
  lines('a byte order mark', '\ufeff', /got none/),
  lines('a byte order mark within a cell', '2026-\ufeff01-05,1\n', /^line 1: period: /),
  upload('62 MB of byte order marks', () => repeated('\ufeff', 62), /^line 1: expected at most 8192 bytes/),
  upload('62 MB of cells with a byte order mark', () => repeated('\ufeff1,\ufeff2\n', 62), /^line 1: period: /),
  upload('62 MB of UTF-16', () => repeated('2\0', 62, '\xff\xfe'), /^line 1: expected at most 8192 bytes, got more/),
  upload('62 MB of one letter in UTF-16', () => Buffer.concat([Buffer.from([0xff, 0xfe]), repeated('x\0', 62)]), /^line 1: expected at most 8192 bytes/),
  upload('62 MB of declarations', () => repeated('sep=;\n', 62), /^line 2: expected a header/),
  lines('a carriage return within a line', `${GOOD}2026-01-06,1\r2\n`, /^line 2: value: /),
  lines('lines that end in carriage returns', 'period,value\r2026-01-05,1\r', /^line 1: expected a text without control characters/),
  lines('NUL', '2026-01-05,1\0\n', /^line 1: value: /),
  lines('NUL after a quote', '2026-01-05,"1"\0\n', /^line 1: value: /),
  lines('half a character', Buffer.from([...Buffer.from(GOOD), 0xe2, 0x82, 0x0a]), /^line 2: expected UTF-8/),
  lines('UTF-16 without a byte order mark', Buffer.from('2026-01-05,1\n', 'utf16le'), /^line 1: period: /),
  lines('half a character of UTF-16', Buffer.from([0xff, 0xfe, 0x31, 0x00, 0x0a, 0x00, 0x00, 0xd8, 0x31, 0x00]), /^line 2: expected UTF-16/),
  lines('half a unit of UTF-16', Buffer.from([0xff, 0xfe, 0x31]), /^line 1: expected UTF-16/),
  lines('gzip', Buffer.from([0x1f, 0x8b, 0x08, 0, 0, 0, 0, 0, 0, 3]), /^line 1: expected UTF-8/),
  lines('a formula', '2026-01-05,=1+1\n', /^line 1: value: /),
  lines('a number with an exponent of 9999', '2026-01-05,1e9999\n', /^line 1: value: expected a number of at most 1e15/),
  lines('a label for a metric without labels', '2026-01-05,eu,1\n', /^line 1: expected 2 columns/),
]; // prettier-ignore
