import fc from 'fast-check';
import type { Asset, Identity, Mention } from '../organisation-story.ts';

/**
 * The machines, disks and scale sets of the random organisations, in all forms of their ids in bills, clusters and hosts. Each
 * form has its meaning beside it, so that the naive calculation does not have to parse ids.
 */
interface Thing {
  account: string;
  /** Another account that also has lines of it, because it was moved there. */
  movedTo?: string;
  onBill: readonly Mention[];
  onCluster: readonly { id: Mention; project: string | null }[];
}

const mention = (text: string, means: Identity): Mention => ({ text, means });
const unplaced = (id: Mention): { id: Mention; project: string | null } => ({ id, project: null });

/** Returns a resource with an id that Amazon generates. The id is unique, and the resource can move to another account. */
function amazon(account: string, type: 'instance' | 'volume', name: string, movedTo: string): Thing {
  const means: Identity = { of: 'amazon', name };
  return {
    account,
    movedTo,
    onBill: [
      mention(name, means),
      mention(`arn:aws:ec2:eu-west-1:${account}:${type}/${name}`, means),
      mention(name.toUpperCase(), means),
    ],
    onCluster: [mention(name, means), mention(`aws:///eu-west-1a/${name}`, means)].map(unplaced),
  };
}

/** Returns an Azure resource. Its name alone means nothing, because other groups have the same name. */
function azure(account: string, group: string, typeAndName: string): Thing {
  const path = `/subscriptions/${account}/resourceGroups/${group}/providers/Microsoft.Compute/${typeAndName}`;
  const means: Identity = { of: 'azure', path: path.toLowerCase(), set: null };
  return {
    account,
    onBill: [mention(path, means), mention(path.toLowerCase(), means)],
    onCluster: [`azure://${path}`, `azure://${path.toLowerCase()}`, path.toUpperCase()]
      .map((text) => mention(text, means))
      .map(unplaced),
  };
}

/** Returns a scale set. The cluster reports its machines, and the bill has some of them, or the whole set. */
function scaleSet(account: string, group: string, name: string): Thing {
  const set = azure(account, group, `virtualMachineScaleSets/${name}`);
  const machineOf = ({ text, means }: Mention, index: number): Mention => {
    if (means.of !== 'azure') throw new Error('expected an id of Azure');
    const path = `${means.path}/virtualmachines/${index}`;
    return mention(`${text}/virtualMachines/${index}`, { of: 'azure', path, set: means.path });
  };
  const machines = set.onCluster.map(({ id }, index) => machineOf(id, index));
  return {
    ...set,
    onBill: [...set.onBill, ...set.onBill.map((id, index) => machineOf(id, 2 * index))],
    onCluster: machines.map(unplaced),
  };
}

/** Returns a Google machine. Machines of other projects and zones may have the same bare name. */
function google(project: string, zone: string, name: string): Thing {
  const full: Identity = { of: 'google', project, zone, name };
  const bare = mention(name, { of: 'name', name });
  const path = `projects/${project}/zones/${zone}/instances/${name}`;
  return {
    account: project,
    onBill: [
      mention(`//compute.googleapis.com/${path}`, full),
      mention(path, full),
      bare,
      numbered(project, zone, name),
    ],
    onCluster: [
      { id: bare, project },
      unplaced(bare),
      unplaced(mention(`gce://${project}/${zone}/${name}`, full)),
      unplaced(mention(path, full)),
    ],
  };
}

/** Returns the id of a Google machine by numbers, as exports write it, with its name and zone beside. */
const numbered = (project: string, zone: string, name: string): Mention => ({
  text: `//compute.googleapis.com/projects/${NUMBERS[project] ?? ''}/zones/${zone}/instances/56${zone.slice(1)}9418`,
  means: { of: 'google', project, zone, name },
  called: { name, zone },
});
const NUMBERS: Readonly<Record<string, string>> = { 'proj-a': '4711', 'proj-b': '4712' };

const THINGS: Readonly<Record<string, readonly Thing[]>> = {
  aws: [
    amazon('1111', 'instance', 'i-0a1b2c3d', '2222'),
    amazon('2222', 'volume', 'vol-0b2c3d4e5f6071829', '1111'),
  ],
  azure: [
    azure('sub-1', 'RG-Web', 'virtualMachines/VM-1'),
    azure('sub-1', 'rg-other', 'virtualMachines/vm-1'),
    scaleSet('sub-1', 'RG-Web', 'Pool-1'),
  ],
  gcp: [google('proj-a', 'z1', 'n-1'), google('proj-a', 'z2', 'n-1'), google('proj-b', 'z1', 'n-1')],
};

/** Returns a load balancer whose ARN ends with an id that is not in its name. */
function balancer(account: string, type: 'app' | 'net', name: string, id: string): Thing {
  const arn = `arn:aws:elasticloadbalancing:eu-west-1:${account}:loadbalancer/${type}/${name}/${id}`;
  const [means, called]: [Identity, Identity] = [
    { of: 'balancer', name, arn },
    { of: 'balancer', name, arn: null },
  ];
  return {
    account,
    onBill: [mention(arn, means)],
    onCluster: [
      unplaced(mention(arn, means)),
      unplaced(mention(name, called)),
      unplaced(mention(`internal-${name}-1037804914.eu-west-1.elb.amazonaws.com`, called)),
      unplaced(mention(`${name}-50dc6c495c0c9188.elb.eu-west-1.amazonaws.com`, called)),
    ],
  };
}

/** Returns a classic load balancer, whose ARN ends with its name. */
function classicBalancer(account: string, name: string): Thing {
  const arn = `arn:aws:elasticloadbalancing:eu-west-1:${account}:loadbalancer/${name}`;
  const called: Identity = { of: 'balancer', name, arn: null };
  return {
    account,
    onBill: [mention(arn, { of: 'balancer', name, arn })],
    onCluster: [
      unplaced(mention(arn, { of: 'balancer', name, arn })),
      unplaced(mention(name, called)),
      unplaced(mention(`${name}-1037804914.eu-west-1.elb.amazonaws.com`, called)),
    ],
  };
}

/** Load balancers. Some have the same name as one in another account. */
const BALANCERS: readonly Thing[] = [
  balancer('1111', 'app', 'k8s-shop-api', '50dc6c495c0c9188'),
  balancer('2222', 'net', 'k8s-shop-api', 'a1b2c3d4e5f60718'),
  balancer('1111', 'net', 'k8s-kiosk', '0123456789abcdef'),
  classicBalancer('2222', 'k8s-kiosk'),
  classicBalancer('1111', 'a1b2c3d4e5f60718293a4b5c6d7e8f90'),
];

/** Returns the resource of a cluster's own bill lines, such as its management fee. */
const ownCluster = (account: string, name: string, ids: readonly string[]): Thing => ({
  account,
  onBill: ids.map((id) => mention(id, { of: 'cluster', name, id: ids[0] ?? id })),
  onCluster: [],
});

const OWN_CLUSTERS: Readonly<Record<string, readonly Thing[]>> = {
  aws: [
    ownCluster('1111', 'prod', ['arn:aws:eks:eu-west-1:1111:cluster/prod']),
    ownCluster('1111', 'prod', ['arn:aws:eks:us-east-1:1111:cluster/prod']),
  ],
  azure: [
    ownCluster('sub-1', 'edge', [
      '/subscriptions/sub-1/resourceGroups/RG-Web/providers/Microsoft.ContainerService/managedClusters/Edge',
    ]),
  ],
  gcp: [ownCluster('proj-a', 'edge', ['//container.googleapis.com/projects/proj-a/zones/z1/clusters/edge'])],
};

export const ACCOUNTS: readonly { cloud: string; account: string }[] = [
  { cloud: 'aws', account: '1111' },
  { cloud: 'aws', account: '2222' },
  { cloud: 'azure', account: 'sub-1' },
  { cloud: 'gcp', account: 'proj-a' },
  { cloud: 'gcp', account: 'proj-b' },
];

const withClouds = (
  things: Readonly<Record<string, readonly Thing[]>>,
): readonly (Thing & { cloud: string })[] =>
  Object.entries(things).flatMap(([cloud, ofCloud]) => ofCloud.map((thing) => ({ ...thing, cloud })));

const MACHINES = withClouds(THINGS);
const FOLLOWERS = [...withClouds({ aws: BALANCERS }), ...withClouds(OWN_CLUSTERS)];

const billed = (
  things: readonly (Thing & { cloud: string })[],
): fc.Arbitrary<{ cloud: string; account: string; resource: Mention | null }> =>
  fc
    .constantFrom(...things)
    .chain(({ cloud, account, movedTo = account, onBill }) =>
      fc
        .tuple(fc.constantFrom(account, account, account, movedTo), fc.constantFrom(...onBill))
        .map(([inAccount, resource]) => ({ cloud, account: inAccount, resource })),
    );

/** The resource and the account of a bill line. */
export const billedResource: fc.Arbitrary<{ cloud: string; account: string; resource: Mention | null }> =
  fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom(...ACCOUNTS).map((account) => ({ ...account, resource: null })) },
    { weight: 6, arbitrary: billed(MACHINES) },
    { weight: 3, arbitrary: billed(FOLLOWERS) },
  );

type ClusterResource = Pick<Asset, 'kind' | 'id' | 'project'>;

const called = (
  kinds: readonly Asset['kind'][],
  things: readonly Thing[],
  unnamed: number,
): fc.Arbitrary<ClusterResource> =>
  fc
    .record({
      kind: fc.constantFrom(...kinds),
      named: fc.oneof(
        { weight: unnamed, arbitrary: fc.constant({ id: null, project: null }) },
        {
          weight: 5,
          arbitrary: fc.constantFrom(...things).chain(({ onCluster }) => fc.constantFrom(...onCluster)),
        },
      ),
    })
    .map(({ kind, named }) => ({ kind, ...named }));

/** Machines that no bill has, and ids that a cluster makes up for disks. */
const STRAYS: readonly Thing[] = [
  {
    account: '',
    onBill: [],
    onCluster: [unplaced(mention('ip-10-0-0-1', { of: 'name', name: 'ip-10-0-0-1' }))],
  },
  {
    account: '',
    onBill: [],
    onCluster: [unplaced(mention('aws:///eu-west-1a/i-0fedcba9', { of: 'amazon', name: 'i-0fedcba9' }))],
  },
];
const MADE_UP: readonly Thing[] = [
  'pvc-6b2f2b9e',
  'azure:///subscriptions/sub-1/resourceGroups/rg/providers/Microsoft.Compute/disks/aks-vmss00000b_osdisk',
].map((text) => ({
  account: '',
  onBill: [],
  onCluster: [unplaced(mention(text, { of: 'made up', name: text }))],
}));

/** An asset in a cluster's feed. Some assets have no id, such as the management fee. */
export const clusterResource: fc.Arbitrary<ClusterResource> = fc.oneof(
  { weight: 1, arbitrary: called(['node'], STRAYS, 0) },
  { weight: 1, arbitrary: called(['disk'], MADE_UP, 0) },
  { weight: 6, arbitrary: called(['node', 'disk'], MACHINES, 1) },
  { weight: 2, arbitrary: called(['load_balancer'], BALANCERS, 1) },
  { weight: 2, arbitrary: fc.constant({ kind: 'management' as const, id: null, project: null }) },
);

/** Hosts, each with its machine, null if unknown. */
export const HOSTS: readonly { host: string; machine: Mention | null }[] = [
  { host: 'host-1', machine: null },
  { host: 'host-2', machine: mention('i-0a1b2c3d', { of: 'amazon', name: 'i-0a1b2c3d' }) },
  { host: 'host-4', machine: mention('n-1', { of: 'name', name: 'n-1' }) },
  {
    host: 'host-5',
    machine: mention('gce://proj-a/z1/n-1', { of: 'google', project: 'proj-a', zone: 'z1', name: 'n-1' }),
  },
  { host: 'host-6', machine: mention('db.internal', { of: 'name', name: 'db.internal' }) },
  { host: 'host-3', machine: THINGS['azure']?.[0]?.onCluster[1]?.id ?? null },
];
