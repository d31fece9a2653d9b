import { mayReadBucket } from '../../egress/locations/source-buckets.ts';
import { sourceRulesOf } from '../../egress/locations/source-rules.ts';
import { bucketPathOf } from '../../domain/sources/exports/object-storage.ts';
import type { Warehouse } from '../../warehouse/engine/warehouse.ts';
import type { Organisation } from '../../warehouse/organisations/organisations.ts';
import { COST_SOURCES, ownTypeOf } from '../../warehouse/sources/cost-sources.ts';
import { fileLocations } from '../../warehouse/sources/file-locations.ts';
import type { Settings } from '../settings/settings.ts';

/** Returns a note on the organisation's sources whose buckets nothing opens, or null if there are none. */
export async function closedBuckets(
  warehouse: Warehouse,
  { id, name }: Organisation,
  settings: Settings,
): Promise<string | null> {
  const rules = sourceRulesOf(settings)(id);
  const closed = (await COST_SOURCES.list(warehouse, id)).filter((source) =>
    fileLocations(source.kind, source).some(
      ({ location }) =>
        bucketPathOf(location) !== null &&
        !mayReadBucket(location, { ...rules, credentials: ownTypeOf(source) }),
    ),
  );
  if (closed.length === 0) return null;
  return (
    `organisation ${JSON.stringify(name)} (${id}): the runs of these cost sources fail, because they have no credentials of their own ` +
    `and SOURCE_BUCKETS does not list their buckets: ${closed.map((source) => `${JSON.stringify(source.name)} (${source.id})`).join(', ')}: ` +
    'give them credentials, or add the buckets'
  );
}
