import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

/** A line of an export by its column names. */
export type Line = Record<string, string>;

/** Returns every line of the exports below a folder. Does not use the product's own reader. */
export const readLines = (folder: string): Line[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.csv.gz'))
    .sort()
    .flatMap((name) => {
      const [header = '', ...lines] = gunzipSync(readFileSync(join(folder, name)))
        .toString()
        .trimEnd()
        .split('\n');
      const columns = header.split(',');
      return lines.map((line) => {
        const cells = cellsOf(line);
        return Object.fromEntries(columns.map((column, index) => [column, cells[index] ?? '']));
      });
    });

/** Returns the cells of a line. No cell of the sample contains a line break. */
const cellsOf = (line: string): string[] =>
  [...line.matchAll(/(?:"((?:[^"]|"")*)"|([^,]*))(?:,|$)/g)].map(
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '',
  );

const DECIMALS = 15;
/** One dollar in the units of the sums. */
export const DOLLAR = 10n ** BigInt(DECIMALS);

/** Returns a decimal text as a whole number of 10⁻¹⁵ dollars. */
export function unitsOf(text: string): bigint {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d{1,15}))?$/.exec(text) ?? [];
  if (whole === '') throw new Error(`expected a decimal, got ${JSON.stringify(text)}`);
  const size = BigInt(whole + fraction.padEnd(DECIMALS, '0'));
  return sign === '-' ? -size : size;
}

const DAY_MS = 86_400_000;

/**
 * Returns the EffectiveCost by month of the charged day, for the days through `today`. A line longer than a day is spread over
 * its days, which are whole ones in the sample. The last day takes the remainder.
 */
export function costByMonth(lines: readonly Line[], today: string): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const line of lines) {
    const start = Date.parse(line['ChargePeriodStart'] ?? '');
    const days = Math.max(1, Math.ceil((Date.parse(line['ChargePeriodEnd'] ?? '') - start) / DAY_MS));
    const cost = unitsOf(line['EffectiveCost'] ?? '');
    const part = cost / BigInt(days);
    for (let index = 0; index < days; index++) {
      const day = new Date(start + index * DAY_MS).toISOString().slice(0, 10);
      if (day > today) break;
      const amount = index < days - 1 ? part : cost - part * BigInt(days - 1);
      sums.set(day.slice(0, 7), (sums.get(day.slice(0, 7)) ?? 0n) + amount);
    }
  }
  return sums;
}

/** Returns an exact quotient as a decimal text, rounded half up. Both numbers are at least 0. */
export function rounded(dividend: bigint, divisor: bigint, decimals: number): string {
  const scaled = (dividend * 10n ** BigInt(decimals) * 2n + divisor) / (divisor * 2n);
  const digits = scaled.toString().padStart(decimals + 1, '0');
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}
