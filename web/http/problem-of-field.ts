/** Returns the field that a message of the API names, and the rest of it; null if it names none. */
export function problemOf(message: string): { field: string; problem: string } | null {
  const [, field, problem] = /^([a-z][a-z0-9_]*(?:\.[A-Za-z0-9_]+)*): (.+)$/s.exec(message) ?? [];
  return field === undefined || problem === undefined ? null : { field, problem };
}
