/** Separators that spreadsheets and databases write instead of commas. */
const NAMES = { ';': 'semicolons', '\t': 'tabs', '|': 'vertical bars' };

/**
 * Returns what separates the columns of a header row instead of commas, in words, or null. That is a separator by which the file
 * lacks fewer columns.
 *
 * @param names the names of the columns, as commas separate them.
 * @param missing returns how many mandatory columns a file with other names lacks.
 */
export function otherSeparator(
  names: readonly string[],
  missing: (names: readonly string[]) => number,
): string | null {
  const header = names.join(',');
  const found = Object.entries(NAMES).find(
    ([separator]) => header.includes(separator) && missing(namesOf(header, separator)) < missing(names),
  );
  return found?.[1] ?? null;
}

const namesOf = (header: string, separator: string): string[] =>
  header.split(separator).map((name) => name.trim().replaceAll(/^"|"$/g, ''));
