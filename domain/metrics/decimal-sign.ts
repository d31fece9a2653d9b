import type { Separator } from '../shared/text/csv-separator.ts';

type Sign = '.' | ',';

/** A number with a decimal comma. */
const WITH_COMMA = /^-?\d+,\d+(?:[eE][+-]?\d+)?$/;

/** `6.200` and `6,200` can mean 6.2 or 6200, which depends on who wrote the file. */
const UNCLEAR = /^-?[1-9]\d{0,2}[.,]\d{3}$/;

/** A number that was read, or why it cannot be. */
type Read = { text: string } | { problem: string };

/**
 * Reads the decimal signs of one file. In a file with commas between the columns a decimal sign is a point. Spreadsheets in
 * countries with a decimal comma write semicolons. They also write numbers as they show them, so that the point in `6.200` may
 * separate thousands. In a file with semicolons or tabs such a number counts only if another number proves the decimal sign.
 */
export class DecimalSigns {
  readonly #separator: Separator;
  #proven: Sign | null = null;
  #unclear: { sign: Sign; line: number } | null = null;

  constructor(separator: Separator) {
    this.#separator = separator;
  }

  /** Returns the text of a number with a decimal point. Any other text stays as it is. */
  read(text: string, line: number): Read {
    if (this.#separator === ',') return { text };
    const sign = this.#signOf(text);
    if (sign === null) return { text };
    const other = this.#proven ?? this.#unclear?.sign ?? sign;
    if (other !== sign) return { problem: `expected one decimal sign in the file, "${other}"` };
    if (!UNCLEAR.test(text)) this.#proven = sign;
    else this.#unclear ??= { sign, line };
    return { text: text.replace(',', '.') };
  }

  /** Returns the first number that has two meanings, once the file has ended; null without such a number. */
  get doubt(): { line: number; problem: string } | null {
    if (this.#unclear === null || this.#proven !== null) return null;
    const { sign, line } = this.#unclear;
    const problem = `expected a number with one meaning: "6${sign}200" can be 6.2 or 6200; write 6${sign}20 or 6200`;
    return { line, problem };
  }

  #signOf(text: string): Sign | null {
    if (this.#separator === ';' && WITH_COMMA.test(text)) return ',';
    return text.includes('.') && /^-?[\d.]+(?:[eE][+-]?\d+)?$/.test(text) ? '.' : null;
  }
}
