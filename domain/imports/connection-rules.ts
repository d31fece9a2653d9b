import type { z } from 'zod';
import { BIGQUERY_CONNECTION } from './bigquery/connection.ts';
import type { Platform } from './platforms.ts';
import { STRIPE_CONNECTION } from './stripe/connection.ts';

/** What a person states to connect a metric with a platform. */
interface ConnectionRules<Id extends string> {
  /** What is imported. It is stored as JSON and shown, and holds no credential. */
  definition: z.ZodObject<{ type: z.ZodLiteral<Id> }>;
  /** Fields of the definition whose texts its schema checks. */
  ownTextRules: readonly string[];
  credential: CredentialRules;
}

/** The credential of a platform (docs/design.md#secrets). It has no schema, because the errors of schemas repeat what was sent. */
interface CredentialRules {
  /** Its field in a request. */
  field: string;
  description: string;
  /** Returns the text to store of a credential as sent. Throws `invalid`, and repeats no part of the credential. */
  toStored: (sent: unknown) => string;
}

export const CONNECTION_RULES = {
  bigquery: BIGQUERY_CONNECTION,
  stripe: STRIPE_CONNECTION,
} satisfies { [Id in Platform]: ConnectionRules<Id> };

export type Definition<Of extends Platform = Platform> = {
  [Id in Of]: z.output<(typeof CONNECTION_RULES)[Id]['definition']>;
}[Of];
