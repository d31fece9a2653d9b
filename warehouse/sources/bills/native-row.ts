import { quoted } from '../feeds/cells.ts';
import type { ExportColumn } from '../feeds/export-files.ts';
import { sqlText } from '../../engine/sql/sql-text.ts';

/**
 * Returns the key by which a column is found: letters and digits in lower case. So `lineItem/UsageAccountId` of AWS's older
 * reports is `line_item_usage_account_id` of the newer ones, and `costInBillingCurrency` is `CostInBillingCurrency`.
 */
export const nativeKey = (name: string): string => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');

/** Returns the keys of a header. Azure writes translated names as `Ressourcengruppe (ResourceGroup)`. */
function spellingsOf(header: string): string[] {
  const [, before = '', within = ''] = /^([^()]*)\(([^()]*)\)\s*$/.exec(header) ?? [];
  return [header, within, before].map(nativeKey).filter((key) => key !== '');
}

/** How the columns of a format are spelled. */
export interface Spellings {
  /** Headers in another language, by the column that they are. */
  translations?: Readonly<Record<string, readonly string[]>>;
  /** Whether columns are found only by the names that people gave, in any case. */
  isExact?: boolean;
}

/** A column of a native row, and what the file calls it. */
export interface NativeColumn extends ExportColumn {
  called: string;
}

/** How the columns of a format are spelled. */
export interface Spellings {
  /** Headers in another language, by the column that they are. */
  translations?: Readonly<Record<string, readonly string[]>>;
  /** Whether columns are found only by the names that people gave, in any case. */
  isExact?: boolean;
}

/** The columns of a file in a cloud's own format, found in whatever spelling. */
export class NativeRow {
  readonly format: 'csv' | 'parquet';
  /** SQL of columns that are made of others, by their names. */
  readonly derived = new Map<string, string>();
  readonly #columns = new Map<string, ExportColumn>();
  readonly #all: readonly ExportColumn[];
  readonly #keyOf: (name: string) => string;

  /** Whether the file has headers in another language. */
  readonly isTranslated: boolean;

  constructor(
    { format, columns }: { format: 'csv' | 'parquet'; columns: readonly ExportColumn[] },
    { translations = {}, isExact = false }: Spellings = {},
  ) {
    this.#keyOf = isExact ? (name) => name.trim().toLowerCase() : nativeKey;
    const keysOf = (header: string): string[] => (isExact ? [this.#keyOf(header)] : spellingsOf(header));
    this.format = format;
    this.#all = columns;
    for (const place of [0, 1, 2])
      for (const column of columns) {
        const key = keysOf(column.name)[place];
        if (key !== undefined && !this.#columns.has(key)) this.#columns.set(key, column);
      }
    let isTranslated = columns.some(({ name }) => keysOf(name).length > 1);
    for (const [name, spellings] of Object.entries(translations))
      for (const column of spellings.flatMap((spelling) => this.#columns.get(nativeKey(spelling)) ?? [])) {
        isTranslated = true;
        if (!this.#columns.has(nativeKey(name))) this.#columns.set(nativeKey(name), column);
      }
    this.isTranslated = isTranslated;
  }

  /** The file's columns, as it writes them. */
  get all(): readonly ExportColumn[] {
    return this.#all;
  }

  /** Returns the first of several columns that the file has; null if it has none of them. */
  first(names: readonly string[]): NativeColumn | null {
    return this.found(names)[0] ?? null;
  }

  /** Returns those of several columns that the file has. A name such as `project.id` is also a field of a nested column. */
  found(names: readonly string[]): NativeColumn[] {
    return names.flatMap((name) => {
      const column = this.#columns.get(this.#keyOf(name));
      if (column !== undefined) return [{ ...column, called: column.name.trim() }];
      const nested = this.#nested(name);
      return nested === null ? [] : [nested];
    });
  }

  /** Adds a column that is made of others. Returns it. */
  derive(name: string, sql: string, type: string, called: string): NativeColumn {
    const own = `bill ${name}`;
    this.derived.set(own, sql);
    return { name: own, type, called };
  }

  #nested(name: string): NativeColumn | null {
    const [outer = '', field, ...more] = name.split('.');
    const column = this.#columns.get(this.#keyOf(outer));
    if (field === undefined || more.length > 0 || column === undefined) return null;
    const [sql, type] = nestedField(column, field) ?? [];
    return sql === undefined || type === undefined ? null : this.derive(name, sql, type, name);
  }
}

/** Returns the SQL and the type of a field of a nested column: of a STRUCT, a MAP, or JSON text; null if it has no such field. */
function nestedField({ name, type }: ExportColumn, field: string): [sql: string, type: string] | null {
  const column = quoted(name);
  if (type === 'VARCHAR') return [`TRY(json_extract_string(${column}, ${sqlText(`/${field}`)}))`, 'VARCHAR'];
  if (type.startsWith('MAP(VARCHAR, VARCHAR)')) return [`${column}[${sqlText(field)}]`, 'VARCHAR'];
  const found = fieldsOf(type).find(({ name: own }) => nativeKey(own) === nativeKey(field));
  return found === undefined ? null : [`${column}.${quoted(found.name)}`, found.type];
}

/** Returns the fields of a STRUCT by its type, such as `STRUCT(id VARCHAR, "name" VARCHAR)`; none for another type. */
export function fieldsOf(type: string): { name: string; type: string }[] {
  const [, inner] = /^STRUCT\((.*)\)$/s.exec(type) ?? [];
  if (inner === undefined) return [];
  const parts: string[] = [];
  let [depth, isQuoted, part] = [0, false, ''];
  for (const character of `${inner},`) {
    if (character === '"') isQuoted = !isQuoted;
    if (!isQuoted && character === '(') depth += 1;
    if (!isQuoted && character === ')') depth -= 1;
    if (!isQuoted && depth === 0 && character === ',') {
      parts.push(part.trim());
      part = '';
    } else part += character;
  }
  return parts.flatMap((text) => {
    const [, spelled, plain, of = ''] = /^(?:"((?:[^"]|"")*)"|(\S+)) (.*)$/s.exec(text) ?? [];
    const name = spelled?.replaceAll('""', '"') ?? plain;
    return name === undefined ? [] : [{ name, type: of }];
  });
}
