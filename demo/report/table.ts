/** A number, a percentage, `-` or nothing. */
const NUMBER = /^([-+]?[\d,.]+( %)?|-?)$/;

/** Returns rows as lines with aligned columns below a header. Columns of numbers are on the right. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const columns = header.map((title, index) => {
    const cells = rows.map((row) => row[index] ?? '');
    const width = Math.max(...[title, ...cells].map((cell) => cell.length));
    const isNumeric = cells.every((cell) => NUMBER.test(cell));
    return [title, ...cells].map((cell) => (isNumeric ? cell.padStart(width) : cell.padEnd(width)));
  });
  return [header, ...rows].map((_, line) =>
    `  ${columns.map((column) => column[line]).join('  ')}`.trimEnd(),
  );
}

/** Returns a number as people write it, with so many decimals, or `-` without a number. */
export const amountText = (amount: number | null | undefined, decimals = 2): string =>
  amount?.toLocaleString('en-US', { minimumFractionDigits: decimals, maximumFractionDigits: decimals }) ??
  '-';

/** Returns a change in percent with its sign, or `-` without a number. */
export const changeText = (percent: number | null): string =>
  percent === null ? '-' : `${percent > 0 ? '+' : ''}${amountText(percent, 1)} %`;
