import { Float64, Table, tableToIPC, Utf8, vectorFromArray } from 'apache-arrow';
import { stringify } from 'csv-stringify/sync';
import type { FastifyReply, FastifyRequest } from 'fastify';

const CSV = 'text/csv';
const ARROW = 'application/vnd.apache.arrow.stream';

type TabularType = typeof CSV | typeof ARROW;

/** What a route with rows can also answer, for its description. */
export const TABULAR_NOTE = `Also answers \`Accept: ${CSV}\` and \`${ARROW}\`.`;

/** Rows with the same columns; the columns of `numbers` hold numbers, the others texts. */
export interface Rows {
  columns: readonly string[];
  numbers: readonly string[];
  rows: readonly Readonly<Record<string, string | number | null>>[];
}

/** The tabular type that the caller's Accept header prefers to JSON, or null when it does not. */
export const tabularType = (request: FastifyRequest): TabularType | null => {
  const type = request.accepts().type(['application/json', CSV, ARROW]);
  return type === CSV || type === ARROW ? type : null;
};

/** Sends rows as CSV or as an Arrow stream. A text that a spreadsheet would take for a formula gets an apostrophe before it. */
export const sendTabular = (reply: FastifyReply, type: TabularType, table: Rows): FastifyReply =>
  type === ARROW
    ? reply.type(ARROW).send(Buffer.from(tableToIPC(arrowTable(table), 'stream')))
    : reply.type(`${CSV}; charset=utf-8`).send(
        stringify([...table.rows], {
          header: true,
          columns: [...table.columns],
          record_delimiter: 'windows',
          cast: { string: (text) => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text) },
        }),
      );

const arrowTable = ({ columns, numbers, rows }: Rows): Table =>
  new Table(
    Object.fromEntries(
      columns.map((column) => {
        const values = rows.map((row) => row[column] ?? null);
        return [column, vectorFromArray(values, numbers.includes(column) ? new Float64() : new Utf8())];
      }),
    ),
  );
