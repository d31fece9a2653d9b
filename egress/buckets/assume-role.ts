import { invalid, Outage } from '../../domain/shared/errors.ts';
import { DEFAULT_REGION, type ObjectStorage } from '../../domain/sources/exports/object-storage.ts';
import { guardedRequest, type TargetRules } from '../requests/guarded-request.ts';
import { mayPass } from '../requests/passing-status.ts';
import { queryText, signerOf } from './signed-request.ts';
import { textOf } from './xml.ts';

/** A role, and who asks for it. */
export interface AskedRole {
  arn: string;
  /** The key that may take the role. */
  key: ObjectStorage;
  /** The service that lends roles; null for AWS's own in the region of the key. */
  service: string | null;
  /**
   * The id of the organisation. A role whose policy demands it as the external id is lent to this organisation alone, even if the
   * operator's identity may take the roles of others, too.
   */
  externalId: string;
}

const TIMEOUT_MS = 30_000;
const MOST_BYTES = 65_536;
const LENT_SECONDS = 3_600;

/**
 * Takes a role of AWS. Returns credentials that are valid for an hour.
 *
 * @throws ServiceError `invalid` that says what to change, if the role is refused.
 */
export async function assumeRole(
  { arn, key, service, externalId }: AskedRole,
  rules: TargetRules & { field: string },
): Promise<ObjectStorage> {
  const region = key.region ?? DEFAULT_REGION;
  const url = new URL(service ?? `https://sts.${region}.amazonaws.com/`);
  const signer = await signerOf(key, 'sts', region);
  if (signer === null)
    throw invalid(
      `${rules.field}.role_arn: the operator has set no AWS key that could take the role: give an access_key_id`,
    );
  const body = queryText({
    Action: 'AssumeRole',
    Version: '2011-06-15',
    RoleArn: arn,
    RoleSessionName: 'cost-analytics',
    DurationSeconds: String(LENT_SECONDS),
    ExternalId: externalId,
  });
  const { headers } = await signer.sign({
    method: 'POST',
    protocol: url.protocol,
    hostname: url.hostname,
    path: url.pathname,
    headers: { host: url.host, 'content-type': 'application/x-www-form-urlencoded' },
    body,
  });
  const { status, text } = await guardedRequest(
    url,
    { method: 'POST', headers, body, timeout: TIMEOUT_MS },
    { ...rules, timeoutMs: TIMEOUT_MS, mostBytes: MOST_BYTES, longer: 'refuse' },
  );
  if (mayPass(status)) throw new Outage(`${url.host} answered ${status} to the request for a role`);
  const lent = { keyId: textOf(text, 'AccessKeyId'), secret: textOf(text, 'SecretAccessKey') };
  if (status !== 200 || lent.keyId === '' || lent.secret === '')
    throw invalid(
      `${rules.field}.role_arn: ${roleProblem(textOf(text, 'Code'), externalId, `${url.host} answered ${status}`)}`,
    );
  return { ...key, ...lent, sessionToken: textOf(text, 'SessionToken') || null };
}

function roleProblem(code: string, externalId: string, answered: string): string {
  switch (code) {
    case 'AccessDenied':
      return `the key may not take the role: allow the key sts:AssumeRole, and let the role trust its account with the external id ${externalId}`;
    case 'InvalidClientTokenId':
      return 'the access_key_id is not known: it was deleted, or belongs to another cloud';
    case 'SignatureDoesNotMatch':
      return 'the secret_access_key does not belong to the access_key_id: copy both again';
    case 'ExpiredToken':
    case 'ExpiredTokenException':
      return 'the session_token has expired: use a key without one';
    case 'RegionDisabledException':
      return 'the account does not use this region: set region to one that it uses';
    default:
      return `the role cannot be taken: ${answered}${/^\w{1,60}$/.test(code) ? ` (${code})` : ''}`;
  }
}
