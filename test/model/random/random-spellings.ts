import fc from 'fast-check';
import type { SpendPick } from '../../../domain/spend/spend-pick.ts';

/** The labels of labelled metrics. */
const LABELS = ['eu', 'us', 'café'];

/** Returns a text as one machine or another writes it: with an accent as a letter of its own, or with blanks around. */
const spelled = (text: string): fc.Arbitrary<string> =>
  fc.constantFrom(text, text, text, text.normalize('NFD'), `${text} `, ` ${text.normalize('NFD')}`);

/** A label in any spelling. */
export const label = fc.constantFrom(...LABELS).chain(spelled);

/** Mostly the pick as it is, and sometimes the same pick in another spelling of its account, cluster, host or tag value. */
export const spelledPick = (pick: SpendPick): fc.Arbitrary<SpendPick> =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constant(pick) },
    { weight: 1, arbitrary: fc.constantFrom(...spellingsOf(pick)) },
  );

function spellingsOf(pick: SpendPick): SpendPick[] {
  const blank = (text: string): string => ` ${text} `;
  switch (pick.source) {
    case 'kubernetes':
      return [{ ...pick, cluster: blank(pick.cluster) }];
    case 'host':
      return [{ ...pick, host: blank(pick.host) }];
    case 'repository':
      return [{ ...pick, repository: blank(pick.repository) }];
    case 'cloud':
      if (pick.tag === undefined) return [{ ...pick, account: blank(pick.account ?? '') }];
      return [{ ...pick, tag: { ...pick.tag, value: pick.tag.value.normalize('NFD') } }];
  }
}
