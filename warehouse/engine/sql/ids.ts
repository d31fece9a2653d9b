import { uuidv7 } from 'uuidv7';

/** Returns a new public id with a readable prefix. Ids of one kind sort by their creation. */
export const newId = (
  prefix: 'org' | 'key' | 'src' | 'file' | 'met' | 'imp' | 'team' | 'shc' | 'whk' | 'ses',
): string => `${prefix}_${uuidv7().replaceAll('-', '')}`;

/**
 * Returns a time-ordered id (UUIDv7) that sorts after `newest`, the newest id that the writer has read for the record. So a slow
 * clock cannot hide a later write (docs/design.md#rows-are-only-inserted).
 */
export function idAfter(newest: string | null): string {
  const id = uuidv7();
  if (newest === null || id > newest) return id;
  const next = (BigInt(`0x${newest.replaceAll('-', '')}`) + 1n).toString(16).padStart(32, '0');
  return next.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
