import type { SpendPick } from './spend-pick.ts';

/** The names of clouds for people. */
const CLOUDS: Readonly<Record<string, string>> = {
  aws: 'AWS',
  azure: 'Azure',
  gcp: 'Google Cloud',
  oci: 'Oracle Cloud',
};

/** What an account is called, by {@link accountKey}. */
export type AccountNames = ReadonlyMap<string, string>;

export const accountKey = (cloud: string, account: string): string => `${cloud} ${account}`;

/** Returns a pick in words, for pages and messages: `Namespace checkout of cluster prod`. */
export function pickWords(pick: SpendPick, accounts: AccountNames = new Map()): string {
  switch (pick.source) {
    case 'kubernetes':
      return clusterWords(pick);
    case 'host':
      return hostWords(pick);
    case 'cloud':
      return cloudWords(pick, accounts);
    case 'repository':
      return `AI tools in repository ${pick.repository}`;
  }
}

type Pick<Source> = Extract<SpendPick, { source: Source }>;

function clusterWords({ cluster, namespace, workload, idle }: Pick<'kubernetes'>): string {
  if (idle === true) return `Idle capacity of cluster ${cluster}`;
  const within = `${namespace ?? ''} of cluster ${cluster}`;
  return workload === undefined ? `Namespace ${within}` : `Workload ${workload} in namespace ${within}`;
}

function hostWords({ host, service, idle }: Pick<'host'>): string {
  if (idle === true) return `Idle capacity of host ${host}`;
  return service === undefined ? `All of host ${host}` : `Service ${service} of host ${host}`;
}

function cloudWords(
  { cloud, account = '', service, resource_group: group, tag }: Pick<'cloud'>,
  accounts: AccountNames,
): string {
  const provider = CLOUDS[cloud] ?? cloud;
  if (tag !== undefined) return `Tag ${tag.key} = ${tag.value} of ${provider}`;
  const name = accounts.get(accountKey(cloud, account));
  const whole = `${provider} account ${account}${name === undefined ? '' : ` (${name})`}`;
  if (service !== undefined) return `Service ${service} in ${whole}`;
  return group === undefined ? `All of ${whole}` : `Resource group ${group} in ${whole}`;
}
