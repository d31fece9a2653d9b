import { Readable } from 'node:stream';
import { stringify } from 'csv-stringify/sync';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { invalid, unavailable } from '../../../domain/shared/errors.ts';
import { forMessage } from '../../../domain/shared/text/for-message.ts';
import type { Columns, TextRow } from '../../../warehouse/engine/sql/columns.ts';
import { atReadingPace, readingMs } from './reading-pace.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Makes an answer as fast as possible, however slowly its caller reads. Set where places are limited (admission.ts). */
    spooled?: (pieces: AsyncIterable<string | Uint8Array>) => AsyncIterable<Uint8Array>;
  }
}

export const CSV = 'text/csv';
export const ARROW = 'application/vnd.apache.arrow.stream';
/** Only for rows that the warehouse itself writes as a file. */
export const PARQUET = 'application/vnd.apache.parquet';

/** The formats beside JSON of a route with rows. */
export const TABULAR_TYPES = [CSV, ARROW, PARQUET] as const;
export type TabularType = (typeof TABULAR_TYPES)[number];

/** Says so in the description of such a route. */
export const TABULAR_NOTE =
  'By `Accept` it also answers CSV, an Arrow stream and Parquet, which have every row.';

/** The query parameter of every route that answers CSV. */
export const safeFor = z
  .literal('spreadsheet', { error: 'expected "spreadsheet"' })
  .optional()
  .describe(
    'Only for CSV: puts an apostrophe before texts that a spreadsheet would take for a formula. Without it, texts are unchanged',
  );

type SafeFor = z.infer<typeof safeFor>;

/** Rows with the same columns, in batches. */
export interface Rows {
  columns: Columns;
  batches: AsyncIterable<readonly TextRow[]>;
}

const JSON_TYPE = 'application/json';

/** The parameters of a type that describe its answers. An Accept header may name them. */
const PARAMETERS: Partial<Record<string, readonly string[]>> = {
  [JSON_TYPE]: ['', '; charset=utf-8'],
  [CSV]: ['', '; charset=utf-8', '; header=present', '; charset=utf-8; header=present'],
};

/** Returns which of some types the caller's Accept header prefers, or null if it accepts none of them. */
function preferredOf(request: FastifyRequest, types: readonly string[]): string | null {
  const spelled = types.flatMap((type) => (PARAMETERS[type] ?? ['']).map((parameters) => type + parameters));
  const preferred = request.accepts().type(spelled);
  return types.find((type) => spelledType(preferred) === type) ?? null;
}

const spelledType = (preferred: string | string[] | false): string | undefined =>
  typeof preferred === 'string' ? preferred.split(';', 1)[0] : undefined;

/** Returns the tabular type that the caller's Accept header prefers to JSON, or null. */
export function tabularType(request: FastifyRequest): TabularType | null {
  const preferred = preferredOf(request, [JSON_TYPE, ...TABULAR_TYPES]);
  return TABULAR_TYPES.find((type) => type === preferred) ?? null;
}

/** Returns which of some types the caller's Accept header prefers, by default the first. Throws if the caller accepts none of them. */
export function rowsType(request: FastifyRequest, types: readonly TabularType[]): TabularType {
  const preferred = preferredOf(request, types);
  const type = types.find((each) => each === preferred);
  if (type === undefined)
    throw invalid(`Accept: expected ${types.join(' or ')}, got ${forMessage(request.headers.accept)}`);
  return type;
}

/** Made once, because every answer aborts its signal, and a new error records its stack. */
const CLOSED = unavailable('the answer was sent, or the caller has gone');

/** Returns a signal that aborts once the caller has gone or has everything. It may have aborted already. */
export function closeSignal({ raw, request }: FastifyReply): AbortSignal {
  const controller = new AbortController();
  const { socket } = request.raw;
  const abort = (): void => {
    raw.off('close', abort);
    socket.off('close', abort);
    controller.abort(CLOSED);
  };
  // Node does not signal a closed connection to an answer that waits behind another one. Any number may wait.
  socket.setMaxListeners(0);
  raw.once('close', abort);
  socket.once('close', abort);
  if (raw.destroyed || socket.destroyed) abort();
  return controller.signal;
}

/** What the names of files end with. */
const ENDINGS: Record<TabularType, string> = { [CSV]: 'csv', [ARROW]: 'arrows', [PARQUET]: 'parquet' };

/**
 * Streams rows as CSV or as an Arrow stream; see {@link sendFile}. The first piece follows the first batch.
 *
 * @param name of the file, without an ending.
 */
export const sendTabular = (
  reply: FastifyReply,
  type: Exclude<TabularType, typeof PARQUET>,
  name: string,
  rows: Rows,
  safe?: SafeFor,
): Promise<FastifyReply> =>
  sendFile(reply, type, name, type === ARROW ? arrowStream(rows) : csvText(rows, safe));

/** Returns rows as an Arrow stream. Only this loads the library, which few services need. */
const arrowStream = async function* ({ columns, batches }: Rows): AsyncGenerator<Uint8Array> {
  const { arrowBytes } = await import('./arrow-bytes.ts');
  yield* arrowBytes(columns, batches);
};

/** Streams a file, which browsers save under its name; see {@link sendStream}. An error instead of it has no name. */
export const sendFile = (
  reply: FastifyReply,
  type: TabularType,
  name: string,
  pieces: AsyncIterable<string | Uint8Array>,
): Promise<FastifyReply> =>
  sendStream(reply, type === CSV ? `${CSV}; charset=utf-8` : type, pieces, {
    'content-disposition': `attachment; filename="${name}.${ENDINGS[type]}"`,
  });

/**
 * Streams an answer. It is made as fast as possible, and the caller reads it meanwhile, but not too slowly. A failure before the
 * first piece is an error as in any route. A later failure breaks the connection, so that nobody takes a part for the whole.
 */
export async function sendStream(
  reply: FastifyReply,
  type: string,
  pieces: AsyncIterable<string | Uint8Array>,
  headers: Readonly<Record<string, string>> = {},
): Promise<FastifyReply> {
  const started = await startedWith(pieces);
  const body = streamed(reply, reply.request.spooled?.(started) ?? started);
  return reply.headers(headers).type(type).send(body);
}

/** Returns the body of an answer that ends with its connection if the caller reads too slowly. */
export function streamed(reply: FastifyReply, pieces: AsyncIterable<string | Uint8Array>): Readable {
  const tooSlow = (): void => {
    body.destroy(new Error('the client reads too slowly'));
  };
  const body = Readable.from(atReadingPace(pieces, tooSlow), { objectMode: false });
  // The rest of it lies in the buffers of the connection.
  body.once('end', () => reply.raw.setTimeout(readingMs(0), () => reply.raw.destroy()));
  return body;
}

/** Returns the same items after the first one has been read ahead. */
async function startedWith<Item>(items: AsyncIterable<Item>): Promise<AsyncIterable<Item>> {
  const iterator = items[Symbol.asyncIterator]();
  const first = await iterator.next();
  return (async function* () {
    try {
      for (let next = first; next.done !== true; next = await iterator.next()) yield next.value;
    } finally {
      await iterator.return?.();
    }
  })();
}

/** Puts an apostrophe before a text that a spreadsheet would take for a formula. */
const asPlainText = (text: string): string => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text);

const isNumber = (type: string): boolean => type === 'INTEGER' || type.startsWith('DECIMAL');

/** Yields rows as CSV. Numbers are those of JSON, without zeros at their end. */
const csvText = async function* ({ columns, batches }: Rows, safe: SafeFor): AsyncGenerator<string> {
  const fields = Object.entries(columns).map(([name, type]) => ({ name, isNumber: isNumber(type) }));
  const cellsOf = (row: TextRow): (string | number | null)[] =>
    fields.map(({ name, isNumber }) => {
      const text = row[name] ?? null;
      return text !== null && isNumber ? Number(text) : text;
    });
  const lines = (rows: readonly TextRow[], header: boolean): string =>
    stringify(rows.map(cellsOf), {
      header,
      columns: fields.map(({ name }) => name),
      record_delimiter: 'windows',
      // The writer itself quotes only CRLF.
      quoted_match: /[\r\n]/,
      cast: safe === 'spreadsheet' ? { string: asPlainText } : {},
    });
  let text = lines([], true);
  for await (const rows of batches) {
    yield text + lines(rows, false);
    text = '';
  }
  if (text !== '') yield text;
};
