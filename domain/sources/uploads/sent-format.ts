const PARQUET = 'PAR1';
const GZIP = '\x1f\x8b';

/** How files begin that people send instead of CSV or Parquet. */
const OTHERS = [
  ['PK\x03\x04', 'an Excel workbook or a ZIP archive'],
  ['\xd0\xcf\x11\xe0', 'an old Excel workbook'],
  ['%PDF', 'a PDF'],
  ['<', 'HTML or XML'],
  ['{', 'JSON'],
  [PARQUET, 'Parquet'],
  [GZIP, 'gzip'],
] as const;

/**
 * Returns what is wrong with the format of a file, by its name and its first bytes; null if nothing is. Only the reading of the
 * file finds the rest.
 *
 * @param head the first four bytes or more, or all of a shorter file.
 */
export function formatProblem(name: string, head: Buffer): string | null {
  const start = head.toString('latin1');
  if (start === '') return 'expected a file with rows, got an empty one';
  const expected = /\.parquet$/i.test(name) ? PARQUET : /\.gz$/i.test(name) ? GZIP : null;
  if (expected !== null && start.startsWith(expected)) return null;
  const other = OTHERS.find(([begin]) => start.startsWith(begin));
  if (expected === null && other === undefined) return null;
  const words = expected === null ? 'CSV' : expected === PARQUET ? 'Parquet' : 'gzipped CSV';
  return `expected ${words}, as the name says, got ${other?.[1] ?? 'something else'}: export the rows as CSV, or correct the name`;
}
