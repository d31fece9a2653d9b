import type { SpendPick } from '../../../domain/spend/spend-pick.ts';
import type { StorySplit, StoryValue } from '../organisation-story.ts';

// One text has several spellings: an accent is part of its letter, or a letter of its own, and blanks may surround the text. All
// of them are one label, name or tag value.

const COMBINING_ACUTE = '\u0301';

/** Returns the one spelling of a text. The stories have no other accent. */
export const plain = (text: string): string =>
  text
    .split(`e${COMBINING_ACUTE}`)
    .join('é')
    .replace(/^[ \t]+|[ \t]+$/g, '');

/** Returns values with their labels in one spelling; null if two of them have the same period and label. */
export function plainValues(values: readonly StoryValue[]): StoryValue[] | null {
  const found = values.map((value) => ({ ...value, label: plain(value.label) }));
  const places = new Set(found.map(({ period, label }) => `${period} ${label}`));
  return places.size < found.length ? null : found;
}

/** Returns picks with all texts in one spelling. */
export const plainPicks = (picks: readonly SpendPick[]): SpendPick[] =>
  picks.map((pick) => JSON.parse(JSON.stringify(pick), (_, part: unknown) => plainPart(part)) as SpendPick);

const plainPart = (part: unknown): unknown => (typeof part === 'string' ? plain(part) : part);

/** Returns a split with its labels in one spelling; null if it has a label twice. */
export function plainSplit(split: StorySplit): StorySplit | null {
  if (split.type !== 'metric') return split;
  const labels = Object.entries(split.labels).map(([label, team]) => [plain(label), team] as const);
  const isUnique = new Set(labels.map(([label]) => label)).size === labels.length;
  return isUnique ? { ...split, labels: Object.fromEntries(labels) } : null;
}
