/** A folder, and what a message has in its place. */
export type NamedFolder = readonly [folder: string, name: string];

/**
 * Returns a function that puts names in the place of folders in a message. The longest folder counts, so that one can keep its
 * path within another. A path ends where its next segment begins.
 */
export function hideFolders(folders: readonly NamedFolder[]): (message: string) => string {
  const names = new Map(folders.filter(([folder]) => folder.length > 1));
  const longestFirst = [...names.keys()].sort((one, other) => other.length - one.length);
  if (longestFirst.length === 0) return (message) => message;
  const path = new RegExp(`(?<![\\w./-])(?:${longestFirst.map(literal).join('|')})(?![\\w.-])`, 'g');
  return (message) => message.replace(path, (folder) => names.get(folder) ?? folder);
}

const literal = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
