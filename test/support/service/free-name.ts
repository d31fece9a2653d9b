const given = new Map<string, number>();

/** Returns a name that is still free in an organisation, for things that differ only in their name: `Bill`, `Bill 2`, … */
export function freeName(orgId: string, name: string): string {
  const key = `${orgId} ${name}`;
  const count = (given.get(key) ?? 0) + 1;
  given.set(key, count);
  return count === 1 ? name : `${name} ${count}`;
}
