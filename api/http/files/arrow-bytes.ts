import {
  DateDay,
  Decimal,
  Field,
  Int32,
  makeData,
  RecordBatch,
  RecordBatchStreamWriter,
  Schema,
  Struct,
  TimestampMicrosecond,
  Utf8,
  vectorFromArray,
  type Data,
  type DataType,
} from 'apache-arrow';
import { decimalUnits } from '../../../domain/shared/decimals.ts';
import type { Columns, ColumnType, TextRow } from '../../../warehouse/engine/sql/columns.ts';

type Texts = readonly (string | null)[];

/** A column of Arrow: its type, and what it makes of the texts of a batch. */
interface ArrowColumn {
  type: DataType;
  dataOf: (texts: Texts) => readonly Data[];
}

const columnOf = (type: DataType, cell: (text: string) => unknown): ArrowColumn => ({
  type,
  dataOf: (texts) =>
    vectorFromArray(
      texts.map((text) => (text === null ? null : cell(text))),
      type,
    ).data,
});

/** Digits of the decimals of DuckDB, Parquet and Arrow. */
const DIGITS = 38;
const BITS = 128;
const TOO_LARGE = 10n ** BigInt(DIGITS);

/** Returns a decimal as Arrow has it, or null if it has too many digits, as in Parquet. */
function decimalWords(text: string, places: number): Uint32Array | null {
  const units = decimalUnits(text, places);
  if (units <= -TOO_LARGE || units >= TOO_LARGE) return null;
  const halves = [BigInt.asUintN(64, units), BigInt.asUintN(64, units >> 64n)];
  return new Uint32Array(BigUint64Array.from(halves).buffer);
}

/** Returns the column of Arrow for a type, which has what the same column of Parquet has. */
function arrowColumn(type: ColumnType): ArrowColumn {
  switch (type) {
    case 'VARCHAR':
      return columnOf(new Utf8(), (text) => text);
    case 'DATE':
      return columnOf(new DateDay(), Date.parse);
    case 'TIMESTAMPTZ':
      return columnOf(new TimestampMicrosecond('UTC'), Date.parse);
    case 'INTEGER':
      return columnOf(new Int32(), Number);
    default: {
      const places = Number(/\d+(?=\)$)/.exec(type)?.[0]);
      return columnOf(new Decimal(places, DIGITS, BITS), (text) => decimalWords(text, places));
    }
  }
}

/** Yields the bytes of an Arrow stream. Passes each batch on before it reads the next one, because the writer queues whatever it gets. */
export const arrowBytes = async function* (
  columns: Columns,
  batches: AsyncIterable<readonly TextRow[]>,
): AsyncGenerator<Uint8Array> {
  const named = Object.entries(columns).map(([name, type]) => ({ name, ...arrowColumn(type) }));
  const schema = new Schema(named.map(({ name, type }) => new Field(name, type, true)));
  const struct = new Struct(schema.fields);
  const batchOf = (rows: readonly TextRow[]): RecordBatch => {
    const children = named.flatMap(({ name, dataOf }) => dataOf(rows.map((row) => row[name] ?? null)));
    return new RecordBatch(schema, makeData({ type: struct, length: rows.length, children }));
  };
  const writer = new RecordBatchStreamWriter();
  const written = new Written(writer);
  writer.write(batchOf([]));
  for await (const rows of batches) {
    writer.write(batchOf(rows));
    yield* written.soFar();
  }
  writer.finish();
  yield* written.soFar();
};

/** The bytes that a writer has written and nobody has read yet. */
class Written {
  readonly #bytes: AsyncIterator<Uint8Array>;
  #next: Promise<IteratorResult<Uint8Array>> | null = null;

  constructor(writer: AsyncIterable<Uint8Array>) {
    this.#bytes = writer[Symbol.asyncIterator]();
  }

  async *soFar(): AsyncGenerator<Uint8Array> {
    for (;;) {
      this.#next ??= this.#bytes.next();
      // Bytes that are there already win. Otherwise the read stays open until there are more.
      const next = await Promise.race([this.#next, Promise.resolve(null)]);
      if (next === null || next.done === true) return;
      this.#next = null;
      yield next.value;
    }
  }
}
