const LONGEST_SHOWN = 80;

/** A text cut to a readable length. */
export const cut = (text: string, longest: number): string =>
  text.length > longest ? `${text.slice(0, longest)}…` : text;

/** What came, for an error message: JSON, cut to a readable length. */
export const forMessage = (value: unknown): string => {
  if (value === undefined) return 'nothing';
  return cut(JSON.stringify(value), LONGEST_SHOWN);
};

/** The first of many texts, and how many more there are. */
export const firstAndMore = (texts: readonly string[], most: number): string[] =>
  texts.length > most ? [...texts.slice(0, most), `and ${texts.length - most} more`] : [...texts];
