/**
 * The most bytes that a query may process and bill, unless a source allows more (docs/concepts.md#daily-imports). BigQuery's console
 * counts a GB as 2³⁰ bytes, and BigQuery bills whole MiB. With 10 × 10⁹ it would refuse a query of almost 10 GB, because its bill
 * rounds up.
 */
export const MOST_BYTES = 10 * 2 ** 30;

/** A query of BigQuery, with the values of its named parameters. */
export interface BigQueryQuery {
  query: string;
  parameters: readonly QueryParameter[];
}

/** A column of a table or of a result. The fields of a RECORD are columns, too. */
export interface BigQueryColumn {
  name: string;
  /** As legacy SQL or GoogleSQL names it: INTEGER or INT64, RECORD or STRUCT. */
  type: string;
  isRepeated: boolean;
  fields: BigQueryColumn[];
}

/** The value of a parameter: a day or a text. */
export interface QueryParameter {
  name: string;
  type: 'DATE' | 'STRING';
  value: string;
}

/** A size in GB as BigQuery's console counts them. Rounded up, so that a size just over a limit does not read like the limit. */
export const gigabytes = (bytes: number): string => `${Math.ceil((bytes / 2 ** 30) * 100) / 100} GB`;
