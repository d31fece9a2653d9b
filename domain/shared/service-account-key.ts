import { z } from 'zod';
import { invalid } from './errors.ts';

/** The characters of a project's id, which for old projects begins with a domain. BigQuery knows the exact rule. */
const PROJECT_ID = /^[a-z0-9](?:[a-z0-9.:-]{0,98}[a-z0-9])?$/;

/** Whether a text may stand for a Google Cloud project in a URL. */
export const isProjectId = (text: string): boolean => PROJECT_ID.test(text);

/** The universe of the public Google Cloud. Keys of other universes sign for other hosts. */
const UNIVERSE = 'googleapis.com';

/** Google's keys have 2048 bits, which is 1,700 characters of PEM. 4096 bits are 3,300. */
const LONGEST_PEM = 4_096;

/** All of Google's fields together have some 2,400 characters. */
const LONGEST_KEY = 8_192;

const serviceAccountKey = z.object({
  type: z.literal('service_account'),
  project_id: z.string().min(1).max(200),
  client_email: z
    .string()
    .max(320)
    .regex(/^[^\s@]+@[^\s@]+$/),
  private_key: z
    .string()
    .max(LONGEST_PEM)
    .regex(/^-----BEGIN (?:RSA )?PRIVATE KEY-----\s[^]+-----END (?:RSA )?PRIVATE KEY-----\s*$/),
  private_key_id: z.string().min(1).max(200).optional(),
  universe_domain: z.literal(UNIVERSE).optional(),
});

/** The fields of a service account's JSON key that an import uses. Hosts that the key names are never called. */
export type ServiceAccountKey = z.infer<typeof serviceAccountKey>;

const EXPECTED = 'credentials: expected the JSON key of a service account, as Google Cloud creates it';

/**
 * Returns a service account's key (docs/design.md#secrets).
 *
 * @throws `invalid` that names the wrong field. The message repeats nothing of what was sent.
 */
export function serviceAccountKeyOf(credentials: unknown): ServiceAccountKey {
  if (JSON.stringify(credentials ?? null).length > LONGEST_KEY)
    throw invalid(`${EXPECTED}; it has at most ${LONGEST_KEY} characters`);
  const parsed = serviceAccountKey.safeParse(credentials);
  if (parsed.success) return parsed.data;
  throw wrongServiceAccountKey(parsed.error.issues[0]?.path[0]);
}

/** Returns the refusal of a key because of one of its fields, or of the whole if no field is given. */
export function wrongServiceAccountKey(field?: PropertyKey): Error {
  switch (field) {
    case undefined:
      return invalid(`${EXPECTED}; it is a JSON object`);
    case 'type':
      return invalid(`${EXPECTED}; its type must be "service_account"`);
    case 'private_key':
      return invalid(
        `${EXPECTED}; its private_key must be an RSA key of 2048 to 4096 bits in PEM, with its line breaks`,
      );
    case 'universe_domain':
      return invalid(`${EXPECTED}; its universe_domain must be ${UNIVERSE}`);
    default:
      return invalid(`${EXPECTED}; its ${String(field)} is missing or wrong`);
  }
}
