import { z } from 'zod';
import { SOME_LINES } from '../../shared/text/control-characters.ts';
import { serviceAccountKeyOf } from '../../shared/service-account-key.ts';

const LONGEST_QUERY = 20_000;
const QUERY = `expected a query of 1 to ${LONGEST_QUERY} characters`;
const QUERY_TEXT = 'expected a query without control characters';
const PROJECT = 'expected the id of a Google Cloud project';
const LOCATION = 'expected a location such as "EU" or "europe-west3"';

/** A query that an organisation runs in its own project. */
export const BIGQUERY_CONNECTION = {
  definition: z.strictObject({
    type: z.literal('bigquery'),
    project_id: z
      .string({ error: PROJECT })
      .min(1, { error: PROJECT })
      .max(200, { error: PROJECT })
      .describe('The project that runs the query and pays for it'),
    location: z
      .string({ error: LOCATION })
      .max(64, { error: LOCATION })
      .nullish()
      .transform((location) => location ?? null),
    query: z
      .string({ error: QUERY })
      .min(1, { error: QUERY })
      .max(LONGEST_QUERY, { error: QUERY })
      .regex(SOME_LINES, { error: QUERY_TEXT })
      .refine((text) => !/\p{Surrogate}/u.test(text), { error: QUERY_TEXT }),
  }),
  ownTextRules: ['query'],
  credential: {
    field: 'credentials',
    description: 'The JSON key of a service account',
    toStored: (sent: unknown): string => {
      serviceAccountKeyOf(sent);
      return JSON.stringify(sent);
    },
  },
};
