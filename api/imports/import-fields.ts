import { z } from 'zod';
import { SOME_LINES } from '../../domain/shared/control-characters.ts';
import { firstImportedMonth, importedDays, type ImportDefinition } from '../../domain/imports/connection.ts';
import type { ConnectionToCheck } from '../../domain/imports/checked-connection.ts';
import { restrictedKeyProblem } from '../../domain/imports/stripe/restricted-key.ts';
import { serviceAccountKeyOf } from '../../domain/imports/bigquery/service-account-key.ts';
import { invalid } from '../../domain/shared/errors.ts';
import type { Metric } from '../../warehouse/metrics/metrics.ts';
import { instant, month } from '../http/fields.ts';

const LONGEST_QUERY = 20_000;
const QUERY = `expected a query of 1 to ${LONGEST_QUERY} characters`;
const QUERY_TEXT = 'expected a query without control characters';
const PROJECT = 'expected the id of a Google Cloud project';
const LOCATION = 'expected a location such as "EU" or "europe-west3"';

/**
 * What to connect a metric to. This schema does not check credentials, because its errors repeat what was sent
 * (docs/design.md#secrets).
 */
export const importBody = z.discriminatedUnion(
  'type',
  [
    z
      .strictObject({
        type: z.literal('bigquery'),
        project_id: z
          .string({ error: PROJECT })
          .min(1, { error: PROJECT })
          .max(200, { error: PROJECT })
          .describe('The project that runs the query and pays for it'),
        location: z.string({ error: LOCATION }).max(64, { error: LOCATION }).nullish(),
        query: z
          .string({ error: QUERY })
          .min(1, { error: QUERY })
          .max(LONGEST_QUERY, { error: QUERY })
          .regex(SOME_LINES, { error: QUERY_TEXT })
          .refine((text) => !/\p{Surrogate}/u.test(text), { error: QUERY_TEXT }),
        credentials: z.unknown().optional().describe('The JSON key of a service account'),
      })
      .meta({ id: 'BigQueryConnection' }),
    z
      .strictObject({
        type: z.literal('stripe'),
        api_key: z.unknown().optional().describe('A restricted key that may read balance transactions'),
      })
      .meta({ id: 'StripeConnection' }),
  ],
  { error: 'expected a type "bigquery" or "stripe"' },
);

/**
 * Returns the connection that a body asks for. Throws `invalid` for a metric that cannot be connected so, and for a credential of
 * the wrong kind, before anything is sent anywhere.
 */
export function connectionOf(
  body: z.infer<typeof importBody>,
  { kind, frequency, label_key }: Metric,
  now: Date,
): ConnectionToCheck {
  if (frequency !== 'daily') throw invalid('import: expected a daily metric, this one is monthly');
  const of = { labelled: label_key !== null, days: importedDays(firstImportedMonth(now), null, now) };
  if (body.type === 'bigquery') {
    const { type, project_id, location = null, query, credentials } = body;
    serviceAccountKeyOf(credentials);
    const definition: ImportDefinition = { type, project_id, location, query };
    return { definition, credential: JSON.stringify(credentials), ...of };
  }
  if (kind !== 'revenue') throw invalid('type: expected "bigquery" on a count metric, got "stripe"');
  if (typeof body.api_key !== 'string') throw invalid('api_key: expected a restricted key of Stripe');
  const problem = restrictedKeyProblem(body.api_key);
  if (problem !== null) throw invalid(`api_key: ${problem}`);
  return { definition: { type: 'stripe' }, credential: body.api_key, ...of };
}

/** A check of a connection that stores nothing. */
export const importCheck = z
  .object({
    ok: z.boolean(),
    problems: z.array(z.string()).describe('What to change, in sentences'),
    bytes_processed: z.number().nullable().optional().describe('Bytes that the first run reads'),
    columns: z
      .array(z.object({ name: z.string(), type: z.string() }))
      .optional()
      .describe('Columns of the query'),
  })
  .meta({ id: 'ImportCheck' });

/** A daily import. */
export const importRecord = z
  .object({
    type: z.enum(['bigquery', 'stripe']),
    status: z.enum(['connected', 'paused', 'failed']).describe('`failed`: three failed days in a row'),
    paused_reason: z.string().nullable(),
    problem: z
      .string()
      .nullable()
      .describe(
        'What keeps it from running, or hides what it left out, and the way out; null if nothing does',
      ),
    project_id: z.string().nullable().optional(),
    location: z.string().nullable().optional(),
    query: z.string().nullable().optional(),
    connected_at: instant,
    first_month: z.string().describe('The import owns the values from this month on'),
    last_run: z
      .object({
        run_id: z.string(),
        status: z.enum(['running', 'completed', 'failed']),
        started_at: instant,
        finished_at: instant.nullable(),
        start_day: z.string(),
        end_day: z.string(),
        rows: z.number().describe('Rows or transactions that the platform gave'),
        changed: z.number(),
        removed: z.number(),
        notes: z.array(z.string()),
        error: z.string().nullable(),
      })
      .nullable(),
    next_run_at: instant.nullable().describe('Null while it is paused'),
    other_currencies: z
      .array(z.object({ currency: z.string(), net_sales: z.number() }))
      .nullable()
      .optional()
      .describe('Net sales in other currencies, which do not count, over all months that were imported'),
    left_out: z
      .array(
        z.object({
          category: z.string(),
          currency: z.string(),
          amount: z.number(),
          transactions: z.number(),
        }),
      )
      .nullable()
      .optional()
      .describe(
        'Transactions of categories that may hold sales and do not count, over all months that were imported',
      ),
  })
  .meta({ id: 'Import' });

export const importStarted = z.object({
  run_id: z.string(),
  workflow_id: z.string(),
  status: z.literal('running'),
});

export const importRunBody = z
  .strictObject({ start_month: month.nullish().describe('The first month to read') })
  .nullish();
