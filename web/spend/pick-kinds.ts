import type { SpendPick } from '../../domain/spend/spend-pick.ts';
import type { Group } from './costs-search.ts';

/** What a kind of pick is made of, and where suggestions for it come from. */
export interface PickField {
  label: string;
  /** The breakdown whose rows suggest values. */
  groups: readonly [Group] | readonly [Group, Group];
  /** The column of its rows with the values. */
  column: string;
  /** Fields that narrow the rows, with their columns. */
  within: readonly (readonly [FieldName, string])[];
  placeholder?: string;
}

/** The fields of all kinds of picks. */
export const PICK_FIELDS = {
  cluster: { label: 'Cluster', groups: ['cluster', 'namespace'], column: 'cluster', within: [] },
  namespace: {
    label: 'Namespace',
    groups: ['cluster', 'namespace'],
    column: 'namespace',
    within: [['cluster', 'cluster']],
  },
  workload: {
    label: 'Workload',
    groups: ['namespace', 'workload'],
    column: 'workload',
    within: [['namespace', 'namespace']],
    placeholder: 'deployment/api',
  },
  host: { label: 'Host', groups: ['host', 'host_service'], column: 'host', within: [] },
  host_service: {
    label: 'Service',
    groups: ['host', 'host_service'],
    column: 'host_service',
    within: [['host', 'host']],
  },
  cloud: { label: 'Cloud', groups: ['cloud', 'account'], column: 'cloud', within: [], placeholder: 'aws' },
  account: {
    label: 'Account',
    groups: ['cloud', 'account'],
    column: 'account',
    within: [['cloud', 'cloud']],
  },
  service: {
    label: 'Service',
    groups: ['account', 'service'],
    column: 'service',
    within: [['account', 'account']],
  },
  resource_group: {
    label: 'Resource group',
    groups: ['account', 'resource_group'],
    column: 'resource_group',
    within: [['account', 'account']],
  },
  tag_key: { label: 'Tag key', groups: ['cloud', 'tag'], column: 'tag_key', within: [['cloud', 'cloud']] },
  tag_value: {
    label: 'Tag value',
    groups: ['cloud', 'tag'],
    column: 'tag',
    within: [
      ['cloud', 'cloud'],
      ['tag_key', 'tag_key'],
    ],
  },
  repository: {
    label: 'Repository',
    groups: ['repository'],
    column: 'repository',
    within: [],
    placeholder: 'github.com/acme/web',
  },
} as const satisfies Record<
  string,
  Omit<PickField, 'within'> & { within: readonly (readonly [string, string])[] }
>;

export type FieldName = keyof typeof PICK_FIELDS;

/** What is written in the fields. */
export type FieldValues = Partial<Record<FieldName, string>>;

interface PickKind {
  label: string;
  /** The heading above it in the list of kinds. */
  heading: string;
  fields: readonly FieldName[];
  isIdle?: true;
  pickOf: (values: FieldValues) => SpendPick;
}

const kubernetes = (values: FieldValues) => ({
  source: 'kubernetes' as const,
  cluster: values.cluster ?? '',
});
const host = (values: FieldValues) => ({ source: 'host' as const, host: values.host ?? '' });
const cloud = (values: FieldValues) => ({ source: 'cloud' as const, cloud: values.cloud ?? '' });

/** The kinds of spend that can be picked (contract §3, Spend). */
export const PICK_KINDS = {
  namespace: {
    label: 'Namespace',
    heading: 'Kubernetes',
    fields: ['cluster', 'namespace'],
    pickOf: (values) => ({ ...kubernetes(values), namespace: values.namespace }),
  },
  workload: {
    label: 'Workload',
    heading: 'Kubernetes',
    fields: ['cluster', 'namespace', 'workload'],
    pickOf: (values) => ({
      ...kubernetes(values),
      namespace: values.namespace,
      workload: values.workload,
    }),
  },
  cluster_idle: {
    label: 'Idle capacity of a cluster',
    heading: 'Kubernetes',
    fields: ['cluster'],
    isIdle: true,
    pickOf: (values) => ({ ...kubernetes(values), idle: true }),
  },
  host: { label: 'Whole host', heading: 'Hosts', fields: ['host'], pickOf: host },
  host_service: {
    label: 'Service of a host',
    heading: 'Hosts',
    fields: ['host', 'host_service'],
    pickOf: (values) => ({ ...host(values), service: values.host_service }),
  },
  host_idle: {
    label: 'Idle capacity of a host',
    heading: 'Hosts',
    fields: ['host'],
    isIdle: true,
    pickOf: (values) => ({ ...host(values), idle: true }),
  },
  account: {
    label: 'Whole account',
    heading: 'Cloud',
    fields: ['cloud', 'account'],
    pickOf: (values) => ({ ...cloud(values), account: values.account }),
  },
  service: {
    label: 'Service in an account',
    heading: 'Cloud',
    fields: ['cloud', 'account', 'service'],
    pickOf: (values) => ({ ...cloud(values), account: values.account, service: values.service }),
  },
  resource_group: {
    label: 'Resource group in an account',
    heading: 'Cloud',
    fields: ['cloud', 'account', 'resource_group'],
    pickOf: (values) => ({
      ...cloud(values),
      account: values.account,
      resource_group: values.resource_group,
    }),
  },
  tag: {
    label: 'Tag',
    heading: 'Cloud',
    fields: ['cloud', 'tag_key', 'tag_value'],
    pickOf: (values) => ({
      ...cloud(values),
      tag: { key: values.tag_key ?? '', value: values.tag_value ?? '' },
    }),
  },
  repository: {
    label: 'Repository',
    heading: 'AI tools',
    fields: ['repository'],
    pickOf: (values) => ({ source: 'repository', repository: values.repository ?? '' }),
  },
} as const satisfies Record<string, PickKind>;

export type KindName = keyof typeof PICK_KINDS;

/** Returns the kinds under their headings, with or without idle capacity. */
export const kindsByHeading = (
  allowsIdle: boolean,
): { group: string; items: { value: KindName; label: string }[] }[] => {
  const headings = new Map<string, { value: KindName; label: string }[]>();
  for (const [value, kind] of Object.entries(PICK_KINDS) as [KindName, PickKind][]) {
    if (kind.isIdle === true && !allowsIdle) continue;
    headings.set(kind.heading, [...(headings.get(kind.heading) ?? []), { value, label: kind.label }]);
  }
  return [...headings].map(([group, items]) => ({ group, items }));
};
