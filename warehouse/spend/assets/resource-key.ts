// SQL that matches the ids that clusters and hosts report for machines, disks and load balancers with ids on bills.

/** Removes the scheme that a cluster puts before an id (`azure:///subscriptions/…`, `gce://…`), and turns it to lower case. */
const bare = (id: string): string => `regexp_replace(lower(${id}), '^[a-z0-9]+:/+', '')`;

/**
 * A key for an id that is unique in the whole cloud, or null for a mere name. Such an id is an Azure path, an ARN, or Google's
 * project/zone/name in both spellings.
 */
export const fullResourceKey = (id: string): string => `CASE
    WHEN contains(lower(${id}), 'subscriptions/') THEN regexp_extract(lower(${id}), 'subscriptions/.*')
    WHEN starts_with(lower(${id}), 'arn:') THEN lower(${id})
    WHEN regexp_matches(lower(${id}), '^gce:/+[^/]+/[^/]+/[^/]+$') THEN 'gcp/' || ${bare(id)}
    WHEN regexp_matches(lower(${id}), 'projects/[^/]+/(zones|regions)/[^/]+/[^/]+/[^/]+$') THEN 'gcp/' || regexp_replace(
      lower(${id}), '^.*projects/([^/]+)/(?:zones|regions)/([^/]+)/[^/]+/([^/]+)$', '\\1/\\2/\\3')
  END`;

/** The key of the Azure scale set of a machine, from the machine's `full_key`. Any other key stays. */
export const scaleSetKey = (fullKey: string): string =>
  `regexp_replace(${fullKey}, '(/virtualmachinescalesets/[^/]+)/virtualmachines/.*$', '\\1')`;

/** The zone in a Google id, or null for any other id, also for resources of a whole region. */
export const googleZone = (id: string): string =>
  `NULLIF(regexp_extract(lower(${id}), '(?:^gce:/+[^/]+/|projects/[^/]+/zones/)([^/]+)/', 1), '')`;

/**
 * The last part of an id. AWS writes `i-…` alone, after a zone, or at the end of an ARN. DigitalOcean's bill writes
 * `do:droplet:N`. A cluster on Alibaba writes `region.i-…`.
 */
export const resourceName = (id: string): string => `regexp_replace(
    regexp_extract(${bare(id)}, CASE WHEN regexp_matches(lower(${id}), '^(arn|do):') THEN '[^/:]+$' ELSE '[^/]+$' END),
    '^[a-z]{2,}-[a-z0-9-]+\\.((?:i|d)-[0-9a-z]+)$', '\\1')`;

/**
 * Whether two rows of the same name, each with its `full_key`, can be one resource by name. At least one of them must be a mere
 * name, unless the name is unique. Azure's ids are always full.
 */
export const isSameByName = (one: string, other: string): string =>
  `(${one}.full_key IS NULL OR ${other}.full_key IS NULL OR ${isUniqueName(`${one}.name`)})
    AND NOT COALESCE(starts_with(${one}.full_key, 'subscriptions/') OR starts_with(${other}.full_key, 'subscriptions/'), false)`;

/**
 * Whether a name is globally unique to one machine or disk, because the cloud made it: Amazon's and Alibaba's ids, and Oracle's
 * OCIDs. Other clouds reuse names.
 */
export const isUniqueName = (name: string): string =>
  `regexp_matches(${name}, '^(?:(?:i|vol)-(?:[0-9a-f]{8}|[0-9a-f]{17})|(?:i|d)-[0-9a-z]{20}|ocid[0-9]\\.[a-z]+\\..+)$')`;

/** `app/NAME/id` and similar, at the end of a load balancer's ARN. */
const BALANCER_PATH = '(?:^|/)(?:app|net|gwy)/[^/]+/[^/]+$';

/** The name of a load balancer from its ARN on a bill, or null for any other id. The ARN of a classic one ends in its name. */
export const billedBalancerName = (id: string): string =>
  `NULLIF(regexp_extract(lower(${id}), 'loadbalancer/(?:(?:app|net|gwy)/)?([^/]+)(?:/[^/]+)?$', 1), '')`;

/**
 * The name of a load balancer from a cluster's id, usually its address `NAME-id.elb.region.amazonaws.com`. Null if the cluster
 * knows the ARN, which is more precise.
 */
export const balancerName = (id: string): string => `CASE
    WHEN regexp_matches(lower(${id}), '${BALANCER_PATH}') OR contains(lower(${id}), 'loadbalancer/') THEN NULL
    WHEN ends_with(lower(${id}), '.amazonaws.com') THEN regexp_extract(lower(${id}),
      '^(?:dualstack\\.)?(?:internal-)?(.+)-[0-9a-f]+\\.(?:[a-z0-9-]+\\.elb|elb\\.[a-z0-9-]+)\\.amazonaws\\.com$', 1)
    ELSE ${resourceName(id)}
  END`;

/** The name of an EKS, AKS or GKE cluster that is itself a resource on a bill, or null for any other id. */
export const billedClusterName = (id: string): string => `CASE
    WHEN starts_with(lower(${id}), 'arn:') AND contains(lower(${id}), ':eks:') THEN regexp_extract(lower(${id}), ':cluster/([^/]+)$', 1)
    WHEN contains(lower(${id}), '/managedclusters/') THEN regexp_extract(lower(${id}), '/managedclusters/([^/]+)$', 1)
    WHEN contains(lower(${id}), '/clusters/')
      THEN regexp_extract(lower(${id}), 'projects/[^/]+/(?:zones|regions|locations)/[^/]+/clusters/([^/]+)$', 1)
  END`;
