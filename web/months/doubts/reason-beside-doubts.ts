import type { Schema } from '../../http/api.ts';

/**
 * Returns why a month is open, without the sentences of its doubts, which stand beneath with their amounts and ways out; null
 * if there is no other reason.
 */
export function reasonBesideDoubts(
  reason: string | null,
  doubts: readonly Pick<Schema<'Doubt'>, 'sentence'>[],
): string | null {
  const rest = doubts.reduce((words, doubt) => withoutPart(words, doubt.sentence), reason ?? '');
  return rest === '' ? null : rest;
}

const SEPARATOR = '; ';

/** Returns a list of sentences without one of them. A sentence may have the separator in it. */
function withoutPart(words: string, part: string): string {
  if (words === part) return '';
  if (words.startsWith(part + SEPARATOR)) return words.slice((part + SEPARATOR).length);
  if (words.endsWith(SEPARATOR + part)) return words.slice(0, -(SEPARATOR + part).length);
  return words.replace(SEPARATOR + part + SEPARATOR, () => SEPARATOR);
}
