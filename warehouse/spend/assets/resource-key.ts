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

/** The zone that a Google id says; null for anything else, also for what stands in a whole region. */
export const googleZone = (id: string): string =>
  `NULLIF(regexp_extract(lower(${id}), '(?:^gce:/+[^/]+/|projects/[^/]+/zones/)([^/]+)/', 1), '')`;

/** The last part of an id: AWS writes `i-…` alone, behind a zone, or at the end of an ARN. */
export const resourceName = (id: string): string => `regexp_extract(${bare(id)}, '[^/]+$')`;

/**
 * Whether two rows of the same name, each with its `full_key`, can be one resource by their names: one of them must be
 * a mere name. Azure's ids are always full.
 */
export const isSameByName = (one: string, other: string): string =>
  `(${one}.full_key IS NULL OR ${other}.full_key IS NULL)
    AND NOT COALESCE(starts_with(${one}.full_key, 'subscriptions/') OR starts_with(${other}.full_key, 'subscriptions/'), false)`;

/** Whether a name is that of one machine or disk wherever it stands, for Amazon made it; others give theirs again. */
export const isUniqueName = (name: string): string =>
  `regexp_matches(${name}, '^(i|vol)-([0-9a-f]{8}|[0-9a-f]{17})$')`;

/** `app/NAME/id` and the like, at the end of the ARN of a load balancer. */
const BALANCER_PATH = '(?:^|/)(?:app|net|gwy)/[^/]+/[^/]+$';

/** The name of a load balancer whose ARN a bill has, a classic one's ends in it; null for anything else. */
export const billedBalancerName = (id: string): string =>
  `NULLIF(regexp_extract(lower(${id}), 'loadbalancer/(?:(?:app|net|gwy)/)?([^/]+)(?:/[^/]+)?$', 1), '')`;

/**
 * The name of a load balancer as a cluster knows it: mostly by its address, `NAME-id.elb.region.amazonaws.com`. Null where
 * it knows the ARN, which says more.
 */
export const balancerName = (id: string): string => `CASE
    WHEN regexp_matches(lower(${id}), '${BALANCER_PATH}') OR contains(lower(${id}), 'loadbalancer/') THEN NULL
    WHEN ends_with(lower(${id}), '.amazonaws.com') THEN regexp_extract(lower(${id}),
      '^(?:dualstack\\.)?(?:internal-)?(.+)-[0-9a-f]+\\.(?:[a-z0-9-]+\\.elb|elb\\.[a-z0-9-]+)\\.amazonaws\\.com$', 1)
    ELSE ${resourceName(id)}
  END`;

/** The name of a cluster that a bill has as a resource of its own: of EKS, AKS or GKE. Null for anything else. */
export const billedClusterName = (id: string): string => `CASE
    WHEN starts_with(lower(${id}), 'arn:') AND contains(lower(${id}), ':eks:') THEN regexp_extract(lower(${id}), ':cluster/([^/]+)$', 1)
    WHEN contains(lower(${id}), '/managedclusters/') THEN regexp_extract(lower(${id}), '/managedclusters/([^/]+)$', 1)
    WHEN contains(lower(${id}), '/clusters/')
      THEN regexp_extract(lower(${id}), 'projects/[^/]+/(?:zones|regions|locations)/[^/]+/clusters/([^/]+)$', 1)
  END`;
