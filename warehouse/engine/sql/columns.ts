/** The type of a column in files with types, by its name in DuckDB: Parquet and Arrow have the same. */
export type ColumnType = 'VARCHAR' | 'DATE' | 'TIMESTAMPTZ' | 'INTEGER' | `DECIMAL(38,${number})`;

/** The columns of an export in order, with their types. */
export type Columns = Readonly<Record<string, ColumnType>>;

/** A row by column. Decimals are exact texts, and instants end with `Z`. */
export type TextRow = Readonly<Record<string, string | null>>;

/** Returns a statement that gives columns of other rows their types, by `CAST` or `TRY_CAST`. */
export function typedColumns(columns: Columns, relation: string, cast: 'CAST' | 'TRY_CAST' = 'CAST'): string {
  const typed = Object.entries(columns).map(([name, type]) => `${cast}("${name}" AS ${type}) AS "${name}"`);
  return `SELECT ${typed.join(', ')} FROM ${relation}`;
}
