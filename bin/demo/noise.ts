/**
 * A number from 0 to 1 (excluded) that looks random and is always the same for the same text: FNV-1a, then
 * Murmur's finaliser. The demo's bills and values must not change from run to run.
 */
export const noise = (text: string): number => {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
};

/** A factor around 1 that moves by at most `spread` either way. */
export const wobble = (text: string, spread: number): number => 1 + spread * (2 * noise(text) - 1);
