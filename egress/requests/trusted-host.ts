import { normalHost, type PrivateTargets } from './private-targets.ts';
import { isPublicAddress } from './public-address.ts';
import { resolveTarget } from './resolve-target.ts';

/**
 * Whether the operator has listed a host in PRIVATE_TARGETS, by its name or its addresses. A token of a vendor may then go there
 * instead, as for a proxy of the organisation. Otherwise whoever changes a location could send a stored token to a host of theirs.
 *
 * @throws ServiceError `invalid` if the host may not be reached at all.
 */
export async function isOperatorsHost(
  targets: PrivateTargets,
  host: string,
  field: string,
): Promise<boolean> {
  const addresses = await resolveTarget(targets, host, field);
  return targets.names.has(normalHost(host)) || addresses.every((address) => !isPublicAddress(address));
}
