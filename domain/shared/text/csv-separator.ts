/** What can stand between the columns of a CSV file of values. */
export const SEPARATORS = [',', ';', '\t'] as const;

export type Separator = (typeof SEPARATORS)[number];

const DECLARATION = /^"?sep=([,;\t])"?[,;\t]*$/i;

/** Returns the separator that a first line such as `sep=;` declares, as spreadsheets write it; null for any other line. */
export const declaredSeparator = (line: string): Separator | null =>
  SEPARATORS.find((separator) => separator === DECLARATION.exec(line)?.[1]) ?? null;
