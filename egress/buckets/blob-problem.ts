import type { BucketPath } from '../../domain/sources/exports/object-storage.ts';
import { forMessage } from '../../domain/shared/text/for-message.ts';
import type { BucketRefusal } from './bucket-refusal.ts';

/** The permissions of a shared access signature. */
const PERMISSIONS = { list: 'l', read: 'r' } as const;

/**
 * Returns what a person should change, because Azure Blob Storage has refused a request; null if that is not known. The signature of
 * the request says more than some answers do.
 */
export function blobProblem(
  code: string,
  { account, bucket }: Extract<BucketPath, { scheme: 'az' }>,
  { asked, url: { searchParams: sas } }: BucketRefusal,
): string | null {
  const wrong = `the storage account ${account} refuses the sas_token or account_key: copy it again, and check the account in the location`;
  const lacking = `the sas_token may not ${asked} the container ${bucket}: make one with the permissions Read and List, for containers and blobs`;
  if (Date.parse(sas.get('se') ?? '') < Date.now()) return 'the sas_token has expired: make a new one';
  const policy = sas.get('si');
  switch (code) {
    case 'AuthenticationFailed':
      return policy === null
        ? wrong
        : `${wrong}. Or its access policy ${forMessage(policy)} has ended or is gone: prolong it, or make a new sas_token`;
    case 'AuthorizationFailure':
      return sas.get('sp')?.includes(PERMISSIONS[asked]) === false
        ? lacking
        : `${wrong}, and the firewall of the storage account`;
    case 'AuthorizationPermissionMismatch':
    case 'AuthorizationResourceTypeMismatch':
    case 'AuthorizationServiceMismatch':
      return lacking;
    case 'AuthorizationSourceIPMismatch':
      return "the sas_token is limited to other addresses than the service's: make one without this limit";
    case 'ContainerNotFound':
    case 'InvalidResourceName':
    case 'OutOfRangeInput':
      return `the storage account ${account} has no container ${bucket}: check the location, az://account/container/path`;
    case 'BlobNotFound':
      return 'there is no blob at this path any more: start the ingest again once the export is complete';
    case 'AccountIsDisabled':
      return `the storage account ${account} is disabled: ask its owner`;
    case 'KeyBasedAuthenticationNotPermitted':
      return `the storage account ${account} accepts no account key: use a sas_token of a user delegation`;
    case 'PublicAccessNotPermitted':
    case 'NoAuthenticationInformation':
    case 'ResourceNotFound':
      return `the container ${bucket} of ${account} cannot be read without credentials: give the source a sas_token or account_key`;
    default:
      return null;
  }
}
