import { Readable } from 'node:stream';
import {
  Field,
  Float64,
  makeData,
  RecordBatch,
  RecordBatchStreamWriter,
  Schema,
  Struct,
  Utf8,
  vectorFromArray,
  type Data,
  type Vector,
} from 'apache-arrow';
import { stringify } from 'csv-stringify/sync';
import type { FastifyReply, FastifyRequest } from 'fastify';

const CSV = 'text/csv';
const ARROW = 'application/vnd.apache.arrow.stream';

type TabularType = typeof CSV | typeof ARROW;

/** What a route with rows can also answer, for its description. */
export const TABULAR_NOTE = `Also answers \`Accept: ${CSV}\` and \`${ARROW}\`, which stream every row.`;

/** A caller that does not take a batch for so long is cut off, because it holds a connection to the warehouse. */
const STALLED_MS = 60_000;

type Row = Readonly<Record<string, string | number | null>>;

/** Rows with the same columns, batch by batch; the columns of `numbers` hold numbers, the others texts. */
export interface Rows {
  columns: readonly string[];
  numbers: readonly string[];
  batches: AsyncIterable<readonly Row[]>;
}

/** The tabular type that the caller's Accept header prefers to JSON, or null when it does not. */
export const tabularType = (request: FastifyRequest): TabularType | null => {
  const type = request.accepts().type(['application/json', CSV, ARROW]);
  return type === CSV || type === ARROW ? type : null;
};

/** A signal that the caller is gone, or has got everything; aborted at once if the caller has gone already. */
export const closeSignal = ({ raw, request }: FastifyReply): AbortSignal => {
  const controller = new AbortController();
  const { socket } = request.raw;
  const abort = (): void => {
    raw.off('close', abort);
    socket.off('close', abort);
    controller.abort();
  };
  // An answer that waits behind another on its connection does not hear that the connection has closed. Any number may wait.
  socket.setMaxListeners(0);
  raw.once('close', abort);
  socket.once('close', abort);
  if (raw.destroyed || socket.destroyed) abort();
  return controller.signal;
};

/** Streams rows as CSV or as an Arrow stream; see {@link sendStream}. Its first piece comes after the first batch. */
export const sendTabular = (reply: FastifyReply, type: TabularType, rows: Rows): Promise<FastifyReply> =>
  type === ARROW
    ? sendStream(reply, ARROW, arrowBytes(rows))
    : sendStream(reply, `${CSV}; charset=utf-8`, csvText(rows));

/**
 * Streams an answer as fast as the caller takes it. Cuts off a caller that has stalled. What fails before the first piece is an
 * error as of any route. What fails later breaks the connection off, so that nobody takes a part for the whole.
 */
export const sendStream = async (
  reply: FastifyReply,
  type: string,
  pieces: AsyncIterable<string | Uint8Array>,
): Promise<FastifyReply> => {
  const started = await startedWith(pieces);
  const cutOff = (): void => {
    body.destroy(new Error(`the caller took nothing for ${STALLED_MS / 1000} seconds`));
  };
  const body = Readable.from(untilStalled(started, cutOff), { objectMode: false });
  // What is left once the warehouse has given everything holds no connection to it.
  body.once('end', () => reply.raw.setTimeout(STALLED_MS, () => reply.raw.destroy()));
  return reply.type(type).send(body);
};

/**
 * Hands items on, and calls `cutOff` if nobody asks for the next one in time. The time that the items take does not
 * count. A socket's own timeout would wait twice as long while a write is under way.
 */
const untilStalled = async function* <Item>(items: AsyncIterable<Item>, cutOff: () => void) {
  for await (const item of items) {
    const timer = setTimeout(cutOff, STALLED_MS);
    try {
      yield item;
    } finally {
      clearTimeout(timer);
    }
  }
};

/** The same items, of which the first has already come. */
const startedWith = async <Item>(items: AsyncIterable<Item>): Promise<AsyncIterable<Item>> => {
  const iterator = items[Symbol.asyncIterator]();
  const first = await iterator.next();
  return (async function* () {
    try {
      for (let next = first; next.done !== true; next = await iterator.next()) yield next.value;
    } finally {
      await iterator.return?.();
    }
  })();
};

/** A text that a spreadsheet would take for a formula gets an apostrophe before it. */
const csvText = async function* ({ columns, batches }: Rows): AsyncGenerator<string> {
  const lines = (rows: readonly Row[], header: boolean): string =>
    stringify([...rows], {
      header,
      columns: [...columns],
      record_delimiter: 'windows',
      cast: { string: (text) => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text) },
    });
  let text = lines([], true);
  for await (const rows of batches) {
    yield text + lines(rows, false);
    text = '';
  }
  if (text !== '') yield text;
};

type Cell = Utf8 | Float64;

/** The Arrow writer queues what it is given; here each batch is handed on before the next one is read. */
const arrowBytes = async function* ({ columns, numbers, batches }: Rows): AsyncGenerator<Uint8Array> {
  const fields = columns.map(
    (column) => new Field<Cell>(column, numbers.includes(column) ? new Float64() : new Utf8(), true),
  );
  const schema = new Schema(fields);
  const batchOf = (rows: readonly Row[]): RecordBatch => {
    const children = fields.flatMap(({ name, type }): readonly Data<Cell>[] => {
      const column: Vector<Cell> = vectorFromArray(
        rows.map((row) => row[name] ?? null),
        type,
      );
      return column.data;
    });
    return new RecordBatch(schema, makeData({ type: new Struct(fields), length: rows.length, children }));
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

/** What a writer has put out and nobody has taken yet. */
class Written {
  readonly #bytes: AsyncIterator<Uint8Array>;
  #next: Promise<IteratorResult<Uint8Array>> | null = null;

  constructor(writer: AsyncIterable<Uint8Array>) {
    this.#bytes = writer[Symbol.asyncIterator]();
  }

  async *soFar(): AsyncGenerator<Uint8Array> {
    for (;;) {
      this.#next ??= this.#bytes.next();
      // What is there already wins; else the question stays open until there is more.
      const next = await Promise.race([this.#next, Promise.resolve(null)]);
      if (next === null || next.done === true) return;
      this.#next = null;
      yield next.value;
    }
  }
}
