/** Returns a name that no source has yet, such as `AWS 2`. */
export function freeName(wanted: string, taken: readonly string[]): string {
  const isTaken = (name: string): boolean => taken.some((one) => one.toLowerCase() === name.toLowerCase());
  let number = 1;
  let name = wanted;
  while (isTaken(name)) {
    number += 1;
    name = `${wanted} ${number}`;
  }
  return name;
}
