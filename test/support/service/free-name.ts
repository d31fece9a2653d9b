const given = new Map<string, number>();

/** A name that nothing else of an organisation has, for the next of several that differ in nothing: `Bill`, `Bill 2`, … */
export const freeName = (orgId: string, name: string): string => {
  const key = `${orgId} ${name}`;
  const count = (given.get(key) ?? 0) + 1;
  given.set(key, count);
  return count === 1 ? name : `${name} ${count}`;
};
