// SQL that finds the cloud of a machine from its id, and the clouds of bills by the same names.

/** Amazon's and Alibaba's instances and disks. The shape alone does not always show which of the two made the id. */
const GENERATED = '^(?:i|vol)-[0-9a-z]+$';

/** What a Kubernetes distribution writes before a node's name. It runs on machines of any cloud. */
const DISTRIBUTIONS = ['k3s', 'k3d', 'kind', 'rke2', 'minikube', 'microk8s', 'talos', 'kubernetes'] as const;

/**
 * The cloud of an id, null if the id does not show it, such as a mere name. An id with another scheme (`vsphere://…`,
 * `linode://…`) has the scheme as its cloud. `name` is the id's last part (resource-key.ts).
 */
export const cloudOfMachine = (id: string, name: string): string => `CASE
    WHEN contains(lower(${id}), 'subscriptions/') OR regexp_matches(lower(${id}), '^azure:/') THEN 'azure'
    WHEN regexp_matches(lower(${id}), '^(gce|gcp):/|googleapis\\.com/|projects/[^/]+/(zones|regions|instances)/') THEN 'gcp'
    WHEN regexp_matches(lower(${id}), '^(arn|aws):') THEN 'aws'
    WHEN regexp_matches(lower(${id}), '^(oci:/+)?ocid[0-9]\\.') THEN 'oci'
    WHEN regexp_matches(lower(${id}), '^(alicloud|aliyun|alibabacloud):/|^[a-z]{2,}-[a-z0-9-]+\\.(i|d)-[0-9a-z]+$') THEN 'alibaba'
    WHEN regexp_matches(lower(${id}), '^(do|digitalocean):') THEN 'digitalocean'
    WHEN regexp_matches(lower(${id}), '^(hcloud|hetzner):') THEN 'hetzner'
    WHEN regexp_matches(${name}, '^(i|vol)-([0-9a-f]{8}|[0-9a-f]{17})$') THEN 'aws'
    WHEN regexp_matches(${name}, '^(i|d)-[0-9a-z]{20}$') THEN 'alibaba'
    WHEN regexp_matches(lower(${id}), '^(${DISTRIBUTIONS.join('|')}):/') THEN NULL
    WHEN regexp_matches(lower(${id}), '^[a-z][a-z0-9]+:/') THEN regexp_extract(lower(${id}), '^[a-z][a-z0-9]+')
  END`;

/**
 * Whether a cloud made the id. Then no two machines have it. A mere name (`worker-1`, `pvc-…`) can stand for several, and for
 * AKS clusters OpenCost makes up the ids of the machines' own disks (`…/disks/NAME_osdisk`).
 */
export const isOfCloud = (id: string, name: string): string =>
  `COALESCE(${cloudOfMachine(id, name)} IS NOT NULL OR regexp_matches(${name}, '${GENERATED}'), false)
    AND NOT regexp_matches(lower(${id}), '/disks/[^/]+_osdisk$')`;

/** The names of clouds that have machines. A bill of another provider has some only if it has ids of resources. */
const CLOUDS = ['aws', 'azure', 'gcp', 'oci', 'alibaba', 'digitalocean', 'hetzner'] as const;

/** The cloud of a bill, by the names above: `Digital Ocean` is `digitalocean`, and `aliyun` is `alibaba`. */
export const cloudOfBill = (cloud: string): string =>
  `regexp_replace(replace(lower(${cloud}), ' ', ''), '^(?:aliyun|alicloud)', 'alibaba')`;

/** Whether the cloud of a bill has machines, from its name. */
export const hasMachines = (cloud: string): string => `regexp_matches(${cloud}, '^(${CLOUDS.join('|')})')`;

/** Whether a bill of one cloud can have a machine of another: they are the same, or one of them is not known. */
export const canHave = (billCloud: string, machineCloud: string): string =>
  `(${machineCloud} IS NULL OR starts_with(${billCloud}, ${machineCloud}))`;
