import { haveOwnKey, type Credentials } from '../../domain/sources/credentials.ts';
import type { PrivateTargets } from '../requests/private-targets.ts';
import type { BucketReach } from './source-buckets.ts';

/** Stands for the organisation's id in a folder of SOURCE_ROOTS or SOURCE_BUCKETS. */
export const ORGANISATION_PLACEHOLDER = '{organisation}';

/** The folders of SOURCE_ROOTS. */
export type SourceRoots = readonly [string, ...string[]];

/** What one organisation's sources may read. */
export interface SourceRules extends BucketReach {
  /** The organisation's folders, absolute. They need not exist. A relative location begins in the first. */
  readonly roots: readonly string[];
  readonly privateTargets: PrivateTargets;
}

/** The rules of each organisation, by its id. */
export type SourceRulesOf = (orgId: string) => SourceRules & { readonly roots: SourceRoots };

/** One segment of a path that means nothing else: no separator, no `..`, no wildcard. */
const PLAIN_SEGMENT = /^[\w-][\w.-]*$/;

/**
 * The rules of each organisation: its id takes the place of `{organisation}` in the folders of SOURCE_ROOTS and SOURCE_BUCKETS.
 * The function that it returns throws for an id that is not a plain segment of a path.
 */
export const sourceRulesOf =
  (settings: {
    sourceRoots: SourceRoots;
    PRIVATE_TARGETS: PrivateTargets;
    SOURCE_BUCKETS?: readonly string[] | null;
  }): SourceRulesOf =>
  (orgId) => {
    if (!PLAIN_SEGMENT.test(orgId))
      throw new Error(`the organisation id ${JSON.stringify(orgId)} cannot name a folder`);
    const ofOrganisation = (root: string): string => root.replaceAll(ORGANISATION_PLACEHOLDER, orgId);
    const [first, ...others] = settings.sourceRoots;
    return {
      roots: [ofOrganisation(first), ...others.map(ofOrganisation)],
      privateTargets: settings.PRIVATE_TARGETS,
      buckets: (settings.SOURCE_BUCKETS ?? []).map(ofOrganisation),
    };
  };

/** Returns what a source may read that has credentials, or null. */
export const withCredentials = <Rules extends SourceRules>(
  rules: Rules,
  credentials: Credentials | null,
): Rules => ({
  ...rules,
  credentials: credentials !== null && haveOwnKey(credentials) ? credentials.type : null,
});
