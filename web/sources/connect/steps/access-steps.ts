import type { CredentialType } from '../../../../domain/sources/credentials.ts';
import type { Day } from '../../../shared/calendar.ts';
import { awsAccess } from './aws-steps.ts';
import { azureAccess } from './azure-steps.ts';
import { bucketAccess, tableAccess } from './google-steps.ts';
import type { LocationNames } from './location-names.ts';
import type { Step } from './step.ts';

/** Returns how to get credentials that may only read; none for a location that takes none. */
export function accessSteps(type: CredentialType | null, names: LocationNames, today: Day): readonly Step[] {
  switch (type) {
    case 's3':
      return awsAccess(names);
    case 'azure':
      return azureAccess(names, today);
    case 'gcs':
      return bucketAccess(names);
    case 'google':
      return tableAccess(names);
    case 'token': // The steps of each vendor say which token it needs.
    case null:
      return [];
  }
}
