const quoted = (text: string): string => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** Returns rows as CSV, with the columns of all of them. `named` is the header of a column. */
export function csvTable(
  rows: readonly Readonly<Record<string, string>>[],
  named: (column: string) => string = (column) => column,
): string {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return [columns.map(named), ...rows.map((row) => columns.map((column) => row[column] ?? ''))]
    .map((cells) => `${cells.map(quoted).join(',')}\n`)
    .join('');
}
