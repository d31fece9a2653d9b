import { invalid } from '../shared/errors.ts';

/**
 * A pick of spend for a metric, team or shared cost (docs/concepts.md#scopes-and-picks). Picks may overlap; a dollar counts
 * once. A cloud pick names a whole account, a service or resource group in it, or a tag of the whole cloud. A cluster pick names
 * a namespace or idle capacity. A host pick names the host, a service or idle capacity. Metrics cannot pick idle capacity.
 */
export type SpendPick =
  | {
      source: 'kubernetes';
      cluster: string;
      namespace?: string | undefined;
      workload?: string | undefined;
      idle?: true | undefined;
    }
  | { source: 'host'; host: string; service?: string | undefined; idle?: true | undefined }
  | {
      source: 'cloud';
      cloud: string;
      account?: string | undefined;
      service?: string | undefined;
      resource_group?: string | undefined;
      tag?: { key: string; value: string } | undefined;
    }
  | { source: 'repository'; repository: string };

/**
 * A key by which an organisation collects a cloud's spend beside its accounts: one tag key per cloud (`account` is empty), or
 * one split per account (docs/concepts.md#tags-services-and-resource-groups).
 */
export interface SpendChoice {
  kind: 'tag' | 'split';
  cloud: string;
  account: string;
  /** The tag key, or `service` or `resource_group`. */
  choice: string;
}

/** Returns a tag key in the form for comparison. To Azure, tag keys in upper and lower case are the same. */
export const tagKeyOf = (cloud: string, key: string): string => (cloud === 'azure' ? key.toLowerCase() : key);

/** Returns the words for a choice: `tag key "team" of aws`. */
export const choiceInWords = ({ kind, cloud, account, choice }: SpendChoice): string =>
  kind === 'tag'
    ? `tag key ${JSON.stringify(choice)} of ${cloud}`
    : `split by ${choice.replace('_', ' ')} of account ${JSON.stringify(account)} of ${cloud}`;

/**
 * Returns the choices that picks need, each once. Throws `invalid` with the pick's index in `field` if they contradict each
 * other.
 */
export function choicesOf(picks: readonly SpendPick[], field: string): SpendChoice[] {
  const choices = new Map<string, SpendChoice>();
  picks.forEach((pick, index) => {
    const needed = choiceOf(pick);
    if (needed === null) return;
    const at = JSON.stringify([needed.kind, needed.cloud, needed.account]);
    const other = choices.get(at);
    if (other !== undefined && other.choice !== needed.choice) {
      throw invalid(
        `${field}[${index}]: expected one ${needed.kind === 'tag' ? 'tag key per cloud' : 'split per account'}, got ${choiceInWords(needed)} beside ${choiceInWords(other)}`,
      );
    }
    choices.set(at, needed);
  });
  return [...choices.values()];
}

function choiceOf(pick: SpendPick): SpendChoice | null {
  if (pick.source !== 'cloud') return null;
  const { cloud, account = '', service, resource_group, tag } = pick;
  if (tag !== undefined) return { kind: 'tag', cloud, account: '', choice: tagKeyOf(cloud, tag.key) };
  if (service !== undefined) return { kind: 'split', cloud, account, choice: 'service' };
  return resource_group === undefined ? null : { kind: 'split', cloud, account, choice: 'resource_group' };
}

/** Returns the same text for equal picks, whatever the order of their fields. */
export const pickIdentity = (pick: SpendPick): string =>
  JSON.stringify(
    Object.entries(pick)
      .map(([name, part]: [string, unknown]) => [
        name,
        part !== null && typeof part === 'object' ? Object.entries(part).sort() : part,
      ])
      .filter(([, part]) => part !== undefined)
      .sort(),
  );
