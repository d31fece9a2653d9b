import { quoted } from '../feeds/cells.ts';
import type { NativeTags, TagPlace } from './bill-format.ts';
import { nativeKey, type NativeRow } from './native-row.ts';

/** Columns of tags in a format that spells keys in its own way. */
interface TagColumns {
  /** One column with all tags. */
  all: string;
  /** What the names of columns with a single tag begin with, before their key. */
  single: readonly string[];
  /** What can stand before keys in the file, and is no part of them. */
  prefixes?: readonly string[];
  /** What is put before keys. */
  group?: string;
}

/** Returns the tags in several columns. */
export const tagsIn = (columns: readonly TagColumns[]): NativeTags => ({
  words: columns
    .map(({ all, single }) =>
      [all, ...single.map((name) => `${name}…`)].map((name) => `\`${name}\``).join(', '),
    )
    .join('; '),
  reads: columns.map(({ all }) => all),
  placesIn: (row) => columns.flatMap((of) => [...allIn(row, of), ...singlesIn(row, of)]),
});

const allIn = (row: NativeRow, { all, prefixes = [], group = '' }: TagColumns): TagPlace[] =>
  row.found([all]).map(({ name, type }) => ({ sql: quoted(name), type, prefixes, group }));

const singlesIn = (row: NativeRow, { all, single, group = '' }: TagColumns): TagPlace[] =>
  row.all.flatMap(({ name, type, isRepeated }) => {
    if (isRepeated === true || nativeKey(name) === nativeKey(all)) return [];
    const spelled = name.trim();
    const before = single.find((begin) => spelled.toLowerCase().startsWith(begin.toLowerCase()));
    const key = before === undefined ? '' : spelled.slice(before.length).trim();
    return key === '' ? [] : [{ sql: quoted(name), type, key: `${group}${key}`, prefixes: [], group }];
  });
