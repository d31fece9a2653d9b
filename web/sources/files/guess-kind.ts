import type { SourceKind } from '../source-kinds.ts';

/** The bytes in which the names of columns stand: at the beginning of CSV, at the end of Parquet. */
const HEAD_BYTES = 256 * 1_024;

/** Names of columns that only one kind has. The first that matches counts. */
const MARKS: readonly [SourceKind, RegExp][] = [
  ['focus', /ChargePeriodStart/i],
  ['aws_cur', /line_?item[_/]line_?item_?type|lineItem\/UsageAccountId/i],
  ['azure_cost', /costInBillingCurrency|costInPricingCurrency|PreTaxCost|KostenInAbrechnungswährung/i],
  ['gcp_billing', /usage_start_time/i],
  ['opencost', /ControllerKind/i],
  ['hosts', /^\W?day,host,/i],
];

/** Returns the kind of source whose columns a text has; null if it has those of none. */
const kindIn = (text: string): SourceKind | null => MARKS.find(([, mark]) => mark.test(text))?.[0] ?? null;

/** Returns the kind of source that a file looks like; null if that is not clear. Only the service's own reading decides. */
export async function guessKind(file: Blob & { name: string }): Promise<SourceKind | null> {
  try {
    return kindIn(await columnsOf(file));
  } catch {
    // A guess spares people a choice. A file that cannot be read here is refused by the service, with its reason.
    return null;
  }
}

async function columnsOf(file: Blob & { name: string }): Promise<string> {
  if (/\.parquet$/i.test(file.name)) return decoded(file.slice(Math.max(0, file.size - HEAD_BYTES)));
  if (!/\.gz$/i.test(file.name)) return decoded(file.slice(0, HEAD_BYTES));
  return firstPiece(file.stream().pipeThrough(new DecompressionStream('gzip')));
}

const decoded = async (part: Blob): Promise<string> => new TextDecoder().decode(await part.arrayBuffer());

async function firstPiece(stream: ReadableStream<Uint8Array>): Promise<string> {
  const reader = stream.getReader();
  try {
    const { value } = await reader.read();
    return new TextDecoder().decode(value);
  } finally {
    await reader.cancel();
  }
}
