import { z } from 'zod';
import type { BigQueryColumn } from '../../../domain/shared/bigquery-query.ts';

// Answers of BigQuery's REST API, version 2, reduced to the fields that are used.

const column: z.ZodType<BigQueryColumn> = z
  .object({
    name: z.string(),
    type: z.string(),
    mode: z.string().optional(),
    fields: z.array(z.lazy(() => column)).default([]),
  })
  .transform(({ mode, ...rest }) => ({ ...rest, isRepeated: mode === 'REPEATED' }));

const schema = z.object({ fields: z.array(column).default([]) }).transform(({ fields }) => fields);

/** The API writes 64-bit integers as texts. */
const int64 = z.union([z.string().regex(/^\d+$/).transform(Number), z.number()]);

const jobError = z.object({ reason: z.string().default(''), message: z.string().default('') });

/** Why a job failed. */
export type JobError = z.infer<typeof jobError>;

export const jobAnswer = z.object({
  jobReference: z.object({ location: z.string().optional() }).optional(),
  status: z.object({ state: z.string(), errorResult: jobError.optional() }),
  statistics: z
    .object({
      totalBytesProcessed: int64.optional(),
      query: z
        .object({
          statementType: z.string().optional(),
          schema: schema.optional(),
          undeclaredQueryParameters: z.array(z.object({ name: z.string().default('?') })).default([]),
        })
        .optional(),
    })
    .optional(),
});

/** A row of a result: a cell for each column. A cell is a text or null, if its column is neither repeated nor a STRUCT. */
export interface ResultRow {
  f: { v: unknown }[];
}

export const resultsAnswer = z.object({
  jobComplete: z.boolean().default(true),
  totalRows: int64.default(0),
  schema: schema.optional(),
  pageToken: z.string().optional(),
  // Checking each row here would copy it. The reader of the rows checks their cells.
  rows: z.custom<ResultRow[]>(Array.isArray).default([]),
});
