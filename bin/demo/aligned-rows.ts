/** Rows of cells as lines with aligned columns, those of `left` to the left, all others to the right. */
export const alignedRows = (
  rows: readonly (readonly string[])[],
  left: ReadonlySet<number> = new Set([0]),
): string[] => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    `  ${row
      .map((cell, column) =>
        left.has(column) ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')}`.trimEnd(),
  );
};
