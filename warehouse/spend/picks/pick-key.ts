// A row of spend and a pick of it have the same text as a key. So one comparison serves all forms of a pick (contract §3,
// Spend). A unit separator separates its parts.

const key = (form: string, ...columns: string[]): string => [`'${form}'`, ...columns].join(` || chr(31) || `);

/** The key of a row of spend_picks. */
export const PICK_KEY = `CASE
    WHEN idle THEN CASE source WHEN 'host' THEN ${key('idle host', 'host')} ELSE ${key('idle cluster', 'cluster')} END
    WHEN tag_key IS NOT NULL THEN ${key('tag', 'cloud', 'tag_key', 'tag_value')}
    WHEN split_kind IS NOT NULL THEN ${key('split', 'cloud', 'account', 'split_kind', 'split_value')}
    WHEN account IS NOT NULL THEN ${key('account', 'cloud', 'account')}
    WHEN workload IS NOT NULL THEN ${key('workload', 'cluster', 'namespace', 'workload')}
    WHEN namespace IS NOT NULL THEN ${key('namespace', 'cluster', 'namespace')}
    WHEN host_service IS NOT NULL THEN ${key('service', 'host', 'host_service')}
    WHEN host IS NOT NULL THEN ${key('host', 'host')}
    ELSE ${key('repository', 'repository')}
  END`;

/**
 * All keys of a row of counted spend. A bill line that is cluster or host spend has no key of its account, because its source
 * is not `cloud`. It has the key of idle capacity, like everything that a cluster or host costs beyond its workloads and
 * services. Teams and shared costs can pick that, metrics cannot (spec §1, counting rules 2 and 3).
 */
export const SPEND_KEYS = `list_filter(CASE
    WHEN source = 'cloud' THEN [${key('account', 'cloud', 'account')},
      ${key('split', 'cloud', 'account', 'split_kind', 'split_value')}, ${key('tag', 'cloud', 'tag_key', 'tag_value')}]
    WHEN namespace IS NOT NULL THEN [${key('namespace', 'cluster', 'namespace')},
      ${key('workload', 'cluster', 'namespace', 'workload')}]
    WHEN host_service IS NOT NULL THEN [${key('host', 'host')}, ${key('service', 'host', 'host_service')}]
    WHEN repository IS NOT NULL THEN [${key('repository', 'repository')}]
    WHEN source = 'kubernetes' THEN [${key('idle cluster', 'cluster')}]
    WHEN source = 'hosts' THEN [${key('idle host', 'host')}]
    ELSE [] END, lambda key: key IS NOT NULL)`;
