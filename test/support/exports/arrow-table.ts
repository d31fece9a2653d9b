import { DataType, tableFromIPC } from 'apache-arrow';

type Cell = string | number;

/** Returns the digits of a decimal with the point at its place, such as `-0.50` for -50 with two places. */
function decimalText(units: string, places: number): string {
  const digits = units.replace('-', '').padStart(places + 1, '0');
  return `${units.startsWith('-') ? '-' : ''}${digits.slice(0, -places)}.${digits.slice(-places)}`;
}

/** Returns an instant as DuckDB writes it, with a fraction only if it has one. */
const instantText = (milliseconds: number): string =>
  new Date(milliseconds)
    .toISOString()
    .replace('T', ' ')
    .replace(/(\.000|0*)Z$/, '+00');

/** Returns the name that DuckDB has for a type of Arrow, and how it writes the values. */
function duckDbType(type: DataType): { type: string; cell: (value: unknown) => Cell } {
  if (DataType.isDecimal(type)) {
    const { precision, scale } = type;
    return { type: `DECIMAL(${precision},${scale})`, cell: (value) => decimalText(String(value), scale) };
  }
  if (DataType.isDate(type))
    return { type: 'DATE', cell: (value) => instantText(Number(value)).slice(0, 10) };
  if (DataType.isTimestamp(type) && type.timezone === 'UTC')
    return { type: 'TIMESTAMP WITH TIME ZONE', cell: (value) => instantText(Number(value)) };
  if (DataType.isInt(type) && type.bitWidth === 32) return { type: 'INTEGER', cell: Number };
  if (DataType.isUtf8(type)) return { type: 'VARCHAR', cell: String };
  throw new Error(`expected a type of an export, got ${type.typeId}`);
}

/** Reads an Arrow stream as DuckDB reads the Parquet file of the same rows: the names of types, and exact texts. */
export function readArrow(bytes: ArrayBuffer): {
  types: Record<string, string>;
  rows: Record<string, Cell | null>[];
} {
  const table = tableFromIPC(new Uint8Array(bytes));
  const columns = table.schema.fields.map((field) => ({
    name: field.name,
    ...duckDbType(field.type as DataType),
  }));
  return {
    types: Object.fromEntries(columns.map(({ name, type }) => [name, type])),
    rows: table
      .toArray()
      .map((row: Record<string, unknown>) =>
        Object.fromEntries(
          columns.map(({ name, cell }) => [name, row[name] === null ? null : cell(row[name])]),
        ),
      ),
  };
}
