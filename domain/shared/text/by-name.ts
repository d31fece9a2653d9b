/** Compares two things by name, in the order of a reader of English. */
export const byName = (one: { name: string }, other: { name: string }): number =>
  one.name.localeCompare(other.name, 'en');
