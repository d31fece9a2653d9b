/** Texts in quotes: cells, labels and paths, in our messages and in those of DuckDB. A quote within a word is an apostrophe. */
const QUOTED = /"(?:[^"\\]|\\.)*"?|(?<!\w)'(?:[^'\\]|\\.)*'?/g;

/** What came instead of what was expected, and all that follows it, because a cell can hold any text. */
const GOT = /\bgot [^]*$/;

/** Amounts: decimals, and numbers with a currency. An address such as 127.0.0.1 is no amount. */
const AMOUNT = /(?<![\w.-])-?\d+(?:\.\d+)?(?= [A-Z]{3}\b)|(?<![\w.])-?\d+\.\d+(?![\w.])/g;

/** The query of a URL, which can be a credential. */
const QUERY = /(\bhttps?:\/\/[^\s?]+)\?\S*/g;

/**
 * Returns an error's message for the log: its first line, without anything that it repeats of a file, a query's result or a
 * request. The run or the delivery shows the whole message to its organisation.
 */
export const withoutCells = (message: string): string =>
  (message.split('\n', 1)[0] ?? '')
    .replace(QUERY, '$1?…')
    .replace(QUOTED, '…')
    .replace(GOT, 'got …')
    .replace(AMOUNT, '…');
