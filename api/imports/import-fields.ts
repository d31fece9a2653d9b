import { z } from 'zod';
import { CONNECTION_RULES, type Definition } from '../../domain/imports/connection-rules.ts';
import { firstImportedMonth, importedDays } from '../../domain/imports/connection.ts';
import type { ConnectionToCheck } from '../../domain/imports/checked-connection.ts';
import { mayFeed, PLATFORM_IDS, PLATFORMS, type Platform } from '../../domain/imports/platforms.ts';
import { invalid } from '../../domain/shared/errors.ts';
import type { Metric } from '../../warehouse/metrics/metrics.ts';
import { instant, month } from '../http/fields.ts';

const quoted = (platforms: readonly Platform[]): string =>
  platforms.map((platform) => JSON.stringify(platform)).join(' or ');

/** A body with the fields of its platform. */
type Body = z.ZodObject<{ type: z.ZodLiteral<Platform> }, z.core.$loose>;

function bodyOf(platform: Platform): Body {
  const { definition, credential } = CONNECTION_RULES[platform];
  const body: z.ZodObject = definition
    .extend({ [credential.field]: z.unknown().optional().describe(credential.description) })
    .meta({ id: `${PLATFORMS[platform].name}Connection` });
  // The type of a computed field hides the others.
  return body as Body;
}

/**
 * What to connect a metric to. This schema does not check credentials, because its errors repeat what was sent
 * (docs/design.md#secrets).
 */
export const importBody = z.discriminatedUnion('type', PLATFORM_IDS.map(bodyOf) as [Body, ...Body[]], {
  error: `expected a type ${quoted(PLATFORM_IDS)}`,
});

/** Fields of the body whose texts are not checked by the rules for all texts. */
export const OWN_TEXT_RULES = Object.values(CONNECTION_RULES).flatMap(({ ownTextRules, credential }) => [
  ...ownTextRules,
  credential.field,
]);

/**
 * Returns the connection that a body asks for. Throws `invalid` for a metric that cannot be connected so, and for a credential of
 * the wrong kind, before anything is sent anywhere.
 */
export function connectionOf(
  body: z.infer<typeof importBody>,
  { kind, frequency, label_key }: Metric,
  now: Date,
): ConnectionToCheck {
  const { type } = body;
  if (frequency !== 'daily') throw invalid('import: expected a daily metric, this one is monthly');
  if (!mayFeed(type, kind)) {
    const platforms = PLATFORM_IDS.filter((platform) => mayFeed(platform, kind));
    throw invalid(`type: expected ${quoted(platforms)} on a ${kind} metric, got "${type}"`);
  }
  const { credential } = CONNECTION_RULES[type];
  const { [credential.field]: sent, ...definition } = body;
  return {
    credential: credential.toStored(sent),
    // The schema of the body has checked it.
    definition: definition as Definition,
    labelled: label_key !== null,
    days: importedDays(firstImportedMonth(now), null, now),
  };
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

type KeysOf<Each> = Each extends unknown ? keyof Each : never;

const shown = z.string().nullable().optional();

/** Fields of the definitions of all platforms. */
const definitionFields = { project_id: shown, location: shown, query: shown } satisfies Record<
  Exclude<KeysOf<Definition>, 'type'>,
  typeof shown
>;

/** A daily import. */
export const importRecord = z
  .object({
    type: z.enum(PLATFORM_IDS),
    status: z.enum(['connected', 'paused', 'failed']).describe('`failed`: three failed days in a row'),
    paused_reason: z.string().nullable(),
    problem: z
      .string()
      .nullable()
      .describe(
        'What keeps it from running, or hides what it left out, and the way out; null if nothing does',
      ),
    ...definitionFields,
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
