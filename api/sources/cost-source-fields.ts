import { z } from 'zod';
import { CREDENTIAL_TYPES, CREDENTIALS } from '../../domain/sources/credentials.ts';
import { KIND_OPTIONS, locationOf, type OptionsOf } from '../../domain/sources/kind-options.ts';
import { KINDS, type Kind } from '../../domain/sources/kinds.ts';
import { currency, day, name } from '../http/fields.ts';
import { invalidInput } from '../http/invalid-input.ts';
import { runRecord } from './ingest-runs.ts';

const startsOn = day
  .nullable()
  .describe('The source had no spend before this day, so that earlier days are a known 0; null: not known');

const CREDENTIALS_IN_WORDS = 'What opens its location, as `PUT …/credentials` takes it; never shown';

/** What is shown of the credentials of a source. */
const shownCredentials = z
  .object({
    type: z.enum(CREDENTIAL_TYPES),
    hint: z.string().describe('Tells credentials apart; not enough to use them'),
    set_at: z.string(),
  })
  .meta({ id: 'ShownCredentials' });

/** The fields of all types of credentials. */
export const CREDENTIAL_FIELDS = [
  ...new Set(Object.values(CREDENTIALS).flatMap(({ shape }) => Object.keys(shape))),
];

/**
 * The body that sets the credentials of a source. This schema does not check them, because its errors repeat what was sent
 * (docs/design.md#secrets).
 */
export const credentialsBody = z
  .looseObject(
    Object.fromEntries(
      CREDENTIAL_FIELDS.map((field) => [
        field,
        z
          .unknown()
          .optional()
          .describe(`Of ${CREDENTIAL_TYPES.filter((type) => field in CREDENTIALS[type].shape).join(', ')}`),
      ]),
    ),
  )
  .meta({ id: 'SourceCredentials' });

type Options = typeof KIND_OPTIONS;

function newSourceOf<K extends Kind>(kind: K) {
  const options: Options[K]['ofNew'] = KIND_OPTIONS[kind].ofNew;
  return z
    .strictObject({
      name,
      kind: z.literal(kind),
      location: locationOf(KIND_OPTIONS[kind].location),
      currency: currency.nullish(),
      options,
      schedule_paused: z.boolean().default(false),
      starts_on: startsOn.default(null),
      credentials: z.unknown().optional().describe(CREDENTIALS_IN_WORDS),
    })
    .meta({ id: `New${KIND_OPTIONS[kind].name}Source` });
}

type NewSource = { [K in Kind]: ReturnType<typeof newSourceOf<K>> }[Kind];

const ALL_KINDS = Object.keys(KINDS) as Kind[];

const names = ALL_KINDS.map((kind) => JSON.stringify(kind));
const EXPECTED_KIND = `expected ${names.slice(0, -1).join(', ')} or ${names.at(-1) ?? ''}`;

/** The body that creates a cost source, by kind. */
export const newCostSource = z.discriminatedUnion(
  'kind',
  ALL_KINDS.map((kind) => newSourceOf(kind)) as [NewSource, ...NewSource[]],
  { error: ({ input }) => (typeof input === 'object' ? EXPECTED_KIND : undefined) },
);

function wireSourceOf<K extends Kind>(kind: K) {
  const options: Options[K]['options'] = KIND_OPTIONS[kind].options;
  return z
    .object({
      id: z.string(),
      name: z.string(),
      kind: z.literal(kind),
      location: z.string(),
      currency: z.string().nullable(),
      options,
      schedule_paused: z.boolean(),
      starts_on: z.string().nullable(),
      credentials: shownCredentials.nullable().describe('Null without credentials of its own'),
      delivered_through: z
        .string()
        .nullable()
        .describe('Last whole day of which it has delivered spend; null if none'),
      last_run: runRecord.nullable(),
    })
    .meta({ id: `${KIND_OPTIONS[kind].name}Source` });
}

type WireSource = { [K in Kind]: ReturnType<typeof wireSourceOf<K>> }[Kind];

/** A cost source with its deliveries and its newest run, by kind. */
export const costSource = z
  .discriminatedUnion('kind', ALL_KINDS.map((kind) => wireSourceOf(kind)) as [WireSource, ...WireSource[]])
  .meta({ id: 'CostSource' });

/** The options of all kinds, without defaults. */
const anyOptions = z
  .strictObject(
    Object.fromEntries(
      Object.values(KIND_OPTIONS).flatMap(({ options }) =>
        Object.entries<z.ZodType>(options.shape).map(([field, schema]) => [
          field,
          schema instanceof z.ZodDefault ? schema.unwrap() : schema,
        ]),
      ),
    ),
  )
  .partial();

const OPTIONS_IN_WORDS = Object.entries(KIND_OPTIONS)
  .map(([kind, { options }]) => `${kind}: ${Object.keys(options.shape).join(', ')}`)
  .join('; ');

/** The body that changes a cost source. Its options replace the old ones. The kind decides which options there are. */
export const costSourceChanges = z.strictObject({
  name: name.optional(),
  location: locationOf().optional(),
  currency: currency.nullish(),
  options: anyOptions.optional().describe(`${OPTIONS_IN_WORDS}. The kind cannot change.`),
  schedule_paused: z.boolean().optional(),
  starts_on: startsOn.optional(),
});

/** Returns options as those of a kind. Throws `invalid`, with the field that is missing or unknown. */
export function optionsOf(kind: Kind, options: unknown): OptionsOf<Kind> {
  const input = { options };
  const parsed = z.object({ options: KIND_OPTIONS[kind].options }).safeParse(input);
  if (!parsed.success) throw invalidInput(parsed.error, input, `body: the source is of kind ${kind}`);
  return parsed.data.options;
}
