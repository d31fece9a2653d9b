import { SPEND, type SpendSource } from '../../../domain/sources/spend-sources.ts';
import type { SpendPick } from '../../../domain/spend/spend-pick.ts';
import { tagKeySql } from '../../engine/sql/tag-key.ts';

// A row of spend and a pick of it have the same text as a key. So one comparison serves all forms of a pick
// (docs/concepts.md#scopes-and-picks). A unit separator separates its parts.

const key = (form: string, ...columns: string[]): string => [`'${form}'`, ...columns].join(` || chr(31) || `);

/** The key of a choice, as `choices`: that of its values without their last part. */
export const CHOICE_KEY = `CASE choices.kind WHEN 'tag' THEN ${key('tag', 'choices.cloud', tagKeySql('choices.cloud', 'choices.choice'))}
    ELSE ${key('split', 'choices.cloud', 'choices.account', 'choices.choice')} END`;

export const PICK_KEY = `CASE
    WHEN idle THEN CASE source WHEN 'host' THEN ${key('idle host', 'host')} ELSE ${key('idle cluster', 'cluster')} END
    WHEN tag_key IS NOT NULL THEN ${key('tag', 'cloud', tagKeySql('cloud', 'tag_key'), 'tag_value')}
    WHEN split_kind IS NOT NULL THEN ${key('split', 'cloud', 'account', 'split_kind', 'split_value')}
    WHEN account IS NOT NULL THEN ${key('account', 'cloud', 'account')}
    WHEN workload IS NOT NULL THEN ${key('workload', 'cluster', 'namespace', 'workload')}
    WHEN namespace IS NOT NULL THEN ${key('namespace', 'cluster', 'namespace')}
    WHEN host_service IS NOT NULL THEN ${key('service', 'host', 'host_service')}
    WHEN host IS NOT NULL THEN ${key('host', 'host')}
    ELSE ${key('repository', 'repository')}
  END`;

/**
 * All keys of a row of counted spend. A bill line that is cluster or host spend has no key of its account, because its source is
 * not `cloud`. It has the key of idle capacity, like everything that a cluster or host costs beyond its workloads and services.
 * Teams and shared costs can pick that, metrics cannot (docs/concepts.md#scopes-and-picks).
 */
export const SPEND_KEYS = `list_filter(CASE
    WHEN source = 'cloud' THEN [${key('account', 'cloud', 'account')},
      ${key('split', 'cloud', 'account', 'split_kind', 'split_value')}, ${key('tag', 'cloud', tagKeySql('cloud', 'tag_key'), 'tag_value')}]
    WHEN namespace IS NOT NULL THEN [${key('namespace', 'cluster', 'namespace')},
      ${key('workload', 'cluster', 'namespace', 'workload')}]
    WHEN host_service IS NOT NULL THEN [${key('host', 'host')}, ${key('service', 'host', 'host_service')}]
    WHEN repository IS NOT NULL THEN [${key('repository', 'repository')}]
    WHEN source = 'kubernetes' THEN [${key('idle cluster', 'cluster')}]
    WHEN source = 'hosts' THEN [${key('idle host', 'host')}]
    ELSE [] END, lambda key: key IS NOT NULL)`;

/** The keys of what bills could be divided by (warehouse/sources/focus/values/bill-values.ts). */
export const BILL_VALUE_KEY = `CASE WHEN tag_key IS NULL THEN ${key('split', 'cloud', 'account', 'split_kind', 'split_value')}
    ELSE ${key('tag', 'cloud', tagKeySql('cloud', 'tag_key'), 'tag_value')} END`;

/** The forms of keys: whose spend they name, and how many parts a key has. */
const FORMS = {
  workload: { spend: 'kubernetes', parts: 4 },
  namespace: { spend: 'kubernetes', parts: 3 },
  'idle cluster': { spend: 'kubernetes', parts: 2 },
  service: { spend: 'hosts', parts: 3 },
  host: { spend: 'hosts', parts: 2 },
  'idle host': { spend: 'hosts', parts: 2 },
  repository: { spend: 'ai_tools', parts: 2 },
  tag: { spend: 'cloud', parts: 4 },
  split: { spend: 'cloud', parts: 5 },
  account: { spend: 'cloud', parts: 3 },
} as const satisfies Record<string, { spend: SpendSource; parts: number }>;

const ofForm = (form: string, what: (form: (typeof FORMS)[keyof typeof FORMS]) => string): string =>
  `CASE ${form} ${Object.entries(FORMS)
    .map(([name, each]) => `WHEN '${name}' THEN ${what(each)}`)
    .join(' ')} END`;

export const SOURCE_OF_FORM = ofForm('form', ({ spend }) => `'${SPEND[spend].pick}'`);

/** Returns the part of the total that spend with a key is, as `by_source` names it. */
export const spendOfKey = (text: string): string =>
  ofForm(`split_part(${text}, chr(31), 1)`, ({ spend }) => `'${spend}'`);

/** The number of parts of a key, by its `form`. It has more if a name contains a separator. */
export const PARTS_OF_FORM = ofForm('form', ({ parts }) => parts.toString());

export function pickOfKey(text: string): SpendPick {
  const [form, a = '', b = '', c = '', d = ''] = text.split('\u001f');
  switch (form as keyof typeof FORMS) {
    case 'workload':
      return { source: 'kubernetes', cluster: a, namespace: b, workload: c };
    case 'namespace':
      return { source: 'kubernetes', cluster: a, namespace: b };
    case 'idle cluster':
      return { source: 'kubernetes', cluster: a, idle: true };
    case 'service':
      return { source: 'host', host: a, service: b };
    case 'host':
      return { source: 'host', host: a };
    case 'idle host':
      return { source: 'host', host: a, idle: true };
    case 'repository':
      return { source: 'repository', repository: a };
    case 'tag':
      return { source: 'cloud', cloud: a, tag: { key: b, value: c } };
    case 'split':
      return {
        source: 'cloud',
        cloud: a,
        account: b,
        ...(c === 'service' ? { service: d } : { resource_group: d }),
      };
    case 'account':
      return { source: 'cloud', cloud: a, account: b };
  }
}
