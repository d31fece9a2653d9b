// How a cluster's or host's own id of a machine, disk or load balancer meets the id on a bill (sources §2).

/** An id in lower case and without the scheme a cluster puts before it: `azure:///subscriptions/…`, `gce://…`. */
const bare = (id: string): string => `regexp_replace(lower(${id}), '^[a-z]+:/+', '')`;

/**
 * An id that names one resource of the whole cloud, or null for one that is a mere name: an Azure path (of a
 * scale set's machine the set, which is what the bill has), or Google's project/zone/name in both spellings.
 */
export const fullResourceKey = (id: string): string => `CASE
    WHEN contains(lower(${id}), 'subscriptions/') THEN regexp_replace(
      regexp_extract(lower(${id}), 'subscriptions/.*'), '(/virtualmachinescalesets/[^/]+)/virtualmachines/.*$', '\\1')
    WHEN regexp_matches(lower(${id}), '^gce:/+[^/]+/[^/]+/[^/]+$') THEN 'gcp/' || ${bare(id)}
    WHEN regexp_matches(lower(${id}), 'projects/[^/]+/(zones|regions)/[^/]+/[^/]+/[^/]+$') THEN 'gcp/' || regexp_replace(
      lower(${id}), '^.*projects/([^/]+)/(?:zones|regions)/([^/]+)/[^/]+/([^/]+)$', '\\1/\\2/\\3')
  END`;

/** The last part of an id: AWS writes `i-…` alone, behind a zone, or at the end of an ARN. */
export const resourceName = (id: string): string => `regexp_extract(${bare(id)}, '[^/]+$')`;

/**
 * Whether two rows of the same name, each with its `full_key`, can be one resource by their names: one of them must be
 * a mere name. Azure's ids are always full.
 */
export const isSameByName = (one: string, other: string): string =>
  `(${one}.full_key IS NULL OR ${other}.full_key IS NULL)
    AND NOT COALESCE(starts_with(${one}.full_key, 'subscriptions/') OR starts_with(${other}.full_key, 'subscriptions/'), false)`;
