import { ApplicationFailure } from '@temporalio/common';
import { isDeleted } from '../../warehouse/organisations/deleted-organisations.ts';
import type { Warehouse } from '../../warehouse/engine/warehouse.ts';
import { around } from './around.ts';
import { organisationOf } from './organisation-of.ts';

/**
 * Fails the activities of deleted organisations for good, before they read or write anything. It comes before the interceptors that
 * log failures, because this one is no error of the service.
 */
export const refuseDeleted = (warehouse: Warehouse) =>
  around(async (run, _info, args) => {
    const orgId = organisationOf(args);
    if (orgId !== '' && (await isDeleted(warehouse, orgId)))
      throw ApplicationFailure.nonRetryable('the organisation was deleted', 'deleted');
    return run();
  });
