import fc from 'fast-check';
import type { Identity, Mention } from './organisation-story.ts';

/**
 * The machines, disks and scale sets of the random organisations, in all the forms in which bills, clusters and
 * hosts write their ids (sources §2). What a form means is said beside it, so that nobody has to read it out again.
 */
export interface Thing {
  account: string;
  onBill: readonly Mention[];
  onCluster: readonly { id: Mention; project: string | null }[];
}

const mention = (text: string, means: Identity): Mention => ({ text, means });
const unplaced = (id: Mention): { id: Mention; project: string | null } => ({ id, project: null });

/** An id that Amazon makes, unique by itself. */
const amazon = (account: string, type: 'instance' | 'volume', name: string): Thing => {
  const means: Identity = { of: 'name', name };
  return {
    account,
    onBill: [
      mention(name, means),
      mention(`arn:aws:ec2:eu-west-1:${account}:${type}/${name}`, means),
      mention(name.toUpperCase(), means),
    ],
    onCluster: [mention(name, means), mention(`aws:///eu-west-1a/${name}`, means)].map(unplaced),
  };
};

/** An Azure resource; its name alone means nothing, for other groups have the same. */
const azure = (account: string, group: string, typeAndName: string): Thing => {
  const path = `/subscriptions/${account}/resourceGroups/${group}/providers/Microsoft.Compute/${typeAndName}`;
  const means: Identity = { of: 'azure', path: path.toLowerCase() };
  return {
    account,
    onBill: [mention(path, means), mention(path.toLowerCase(), means)],
    onCluster: [`azure://${path}`, `azure://${path.toLowerCase()}`, path.toUpperCase()]
      .map((text) => mention(text, means))
      .map(unplaced),
  };
};

/** A scale set: the cluster knows its machines, the bill knows the set. */
const scaleSet = (account: string, group: string, name: string): Thing => {
  const set = azure(account, group, `virtualMachineScaleSets/${name}`);
  const machines = set.onCluster.map(({ id }, index) =>
    mention(`${id.text}/virtualMachines/${index}`, id.means),
  );
  return { ...set, onCluster: machines.map(unplaced) };
};

/** A Google machine: its bare name is that of machines of other projects and zones, too. */
const google = (project: string, zone: string, name: string): Thing => {
  const full: Identity = { of: 'google', project, zone, name };
  const bare = mention(name, { of: 'name', name });
  const path = `projects/${project}/zones/${zone}/instances/${name}`;
  return {
    account: project,
    onBill: [mention(`//compute.googleapis.com/${path}`, full), mention(path, full), bare],
    onCluster: [
      { id: bare, project },
      unplaced(bare),
      unplaced(mention(`gce://${project}/${zone}/${name}`, full)),
      unplaced(mention(path, full)),
    ],
  };
};

export const THINGS: Readonly<Record<string, readonly Thing[]>> = {
  aws: [amazon('1111', 'instance', 'i-0a1'), amazon('2222', 'volume', 'vol-0b2')],
  azure: [
    azure('sub-1', 'RG-Web', 'virtualMachines/VM-1'),
    azure('sub-1', 'rg-other', 'virtualMachines/vm-1'),
    scaleSet('sub-1', 'RG-Web', 'Pool-1'),
  ],
  gcp: [google('proj-a', 'z1', 'n-1'), google('proj-a', 'z2', 'n-1'), google('proj-b', 'z1', 'n-1')],
};

export const ACCOUNTS: readonly { cloud: string; account: string }[] = [
  { cloud: 'aws', account: '1111' },
  { cloud: 'aws', account: '2222' },
  { cloud: 'azure', account: 'sub-1' },
  { cloud: 'gcp', account: 'proj-a' },
  { cloud: 'gcp', account: 'proj-b' },
];

const ALL: readonly (Thing & { cloud: string })[] = Object.entries(THINGS).flatMap(([cloud, things]) =>
  things.map((thing) => ({ ...thing, cloud })),
);

/** The resource of a bill line, and the account it stands in. */
export const billedResource: fc.Arbitrary<{ cloud: string; account: string; resource: Mention | null }> =
  fc.oneof(
    { weight: 1, arbitrary: fc.constantFrom(...ACCOUNTS).map((account) => ({ ...account, resource: null })) },
    {
      weight: 3,
      arbitrary: fc
        .constantFrom(...ALL)
        .chain(({ cloud, account, onBill }) =>
          fc.constantFrom(...onBill).map((resource) => ({ cloud, account, resource })),
        ),
    },
  );

/** What a cluster calls one of its assets; some it cannot name. */
export const clusterResource: fc.Arbitrary<{ id: Mention | null; project: string | null }> = fc.oneof(
  { weight: 1, arbitrary: fc.constant({ id: null, project: null }) },
  { weight: 5, arbitrary: fc.constantFrom(...ALL).chain(({ onCluster }) => fc.constantFrom(...onCluster)) },
);

/** Hosts, each with the machine it runs on, where anybody knows. */
export const HOSTS: readonly { host: string; machine: Mention | null }[] = [
  { host: 'host-1', machine: null },
  { host: 'host-2', machine: mention('i-0a1', { of: 'name', name: 'i-0a1' }) },
  { host: 'host-4', machine: mention('n-1', { of: 'name', name: 'n-1' }) },
  {
    host: 'host-5',
    machine: mention('gce://proj-a/z1/n-1', { of: 'google', project: 'proj-a', zone: 'z1', name: 'n-1' }),
  },
  { host: 'host-3', machine: THINGS['azure']?.[0]?.onCluster[1]?.id ?? null },
];
