import type { FastifyReply } from 'fastify';
import { invalid, Outage, unavailable } from '../../domain/shared/errors.ts';
import { acceptedTypes, credentialsOf, type Credentials } from '../../domain/sources/credentials.ts';
import type { CredentialsToCheck } from '../../domain/sources/credentials-to-check.ts';
import { locationsOf, type LocationFields } from '../../warehouse/sources/file-locations.ts';
import type { ApiDependencies } from '../http/dependencies.ts';
import { closeSignal } from '../http/files/tabular.ts';

/** A person waits for the check. */
const LONGEST_CHECK_MS = 30_000;

const textsOf = (source: LocationFields): string[] => locationsOf(source).map(({ location }) => location);

const vendorOf = ({ location = '', options = {} }: LocationFields): CredentialsToCheck['vendor'] =>
  'vendor' in options && options.vendor !== undefined ? { name: options.vendor, location } : null;

/**
 * Returns the credentials that were sent for a source.
 *
 * @throws ServiceError `invalid` that names the wrong field, and repeats nothing of what was sent.
 */
export const sentCredentials = (sent: unknown, source: LocationFields): Credentials =>
  credentialsOf(sent, acceptedTypes(textsOf(source), vendorOf(source) !== null));

/**
 * Tries credentials on what a source reads.
 *
 * @throws ServiceError `invalid` that says what to change; `unavailable` if the service cannot be asked, or does not answer soon.
 */
export async function refuseWrongCredentials(
  { checkCredentials, clock }: ApiDependencies,
  orgId: string,
  source: LocationFields,
  credentials: Credentials,
  reply: FastifyReply,
): Promise<void> {
  const tooLong = AbortSignal.timeout(LONGEST_CHECK_MS);
  const signal = AbortSignal.any([closeSignal(reply), tooLong]);
  const problems = await checkCredentials(
    { orgId, credentials, locations: textsOf(source), vendor: vendorOf(source), now: clock.now() },
    signal,
  ).catch((error: unknown) => {
    if (tooLong.aborted) throw unavailable('the credentials could not be tried in time; try again later');
    throw error instanceof Outage ? unavailable(error.message) : error;
  });
  if (problems.length > 0) throw invalid(problems.join('; '));
}
