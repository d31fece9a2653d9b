import { quoted } from '../feeds/cells.ts';
import type { ExportColumn } from '../feeds/export-files.ts';
import { readableAmount } from '../feeds/readable-limits.ts';
import { fileIndexOf, lineOf, type Relation, type TagColumn } from '../feeds/scan-files.ts';
import { sqlText } from '../../engine/sql/sql-text.ts';
import { MAPPED, type BillFormat, type MappedColumn, type MappedName } from './bill-format.ts';
import { NativeRow } from './native-row.ts';

/** The column with a hash of the whole row of the file. */
const LINE = 'native_line';
const COST_SET = 'cost_set';

/**
 * Returns a relation whose rows are those of FOCUS. Its FROM item is a query on the file's own columns, of which a statement reads
 * only those that it needs.
 */
export function mappedRelation(relation: Relation, format: BillFormat): Relation {
  const { columns: values, tags } = format;
  const row = new NativeRow(relation, format);
  const costSet = format.costSet?.(row) ?? null;
  const mapped = MAPPED.flatMap((name): (readonly [MappedName, MappedColumn])[] => {
    const value = values[name]?.in(row) ?? null;
    return value === null ? [] : [[name, value]];
  });
  const places = tags === undefined || !('placesIn' in tags) ? null : tags.placesIn(row);
  const ofTags = tags === undefined || 'placesIn' in tags ? null : tags.in(row);
  const inner = [
    ...mapped.map(([name, { sql }]) => `${sql} AS ${quoted(`bill ${name}`)}`),
    ...(places ?? []).map(({ sql }, place) => `${sql} AS ${quoted(`bill tags ${place}`)}`),
    ...(ofTags === null ? [] : [`${ofTags.sql} AS "bill Tags"`]),
  ];
  const outer = [
    quoted(relation.fileColumn),
    `${lineOf(relation)} AS ${LINE}`,
    ...mapped.flatMap(([name, column]) => outerColumns(name, column)),
    ...(places ?? []).map((_, place) => `${quoted(`bill tags ${place}`)} AS ${quoted(`Tags ${place}`)}`),
    ...(ofTags === null ? [] : ['"bill Tags" AS "Tags"']),
    ...(costSet === null ? [] : [`CAST(${costSet} AS TINYINT) AS ${COST_SET}`]),
    ...(relation.files === undefined ? [] : ['"bill file" AS file_index']),
  ];
  const derived = [
    '*',
    ...(relation.files === undefined ? [] : [`${fileIndexOf(relation)} AS "bill file"`]),
    ...[...row.derived].map(([name, sql]) => `${sql} AS ${quoted(name)}`),
  ];
  return {
    ...relation,
    from: `(SELECT ${outer.join(',\n    ')}
      FROM (SELECT *, ${inner.join(',\n      ')}
        FROM (SELECT ${derived.join(',\n          ')} FROM ${relation.from})))`,
    columns: [
      ...mapped.map(([name, column]) => described(name, column)),
      ...(ofTags === null ? [] : [{ name: 'Tags', type: ofTags.type }]),
    ],
    line: LINE,
    ...(costSet === null ? {} : { costSet: COST_SET }),
    ...(places === null
      ? {}
      : {
          tags: places.map(({ type, key, prefixes, group }, place): TagColumn => ({
            column: { name: `Tags ${place}`, type },
            ...(key === undefined ? {} : { key }),
            prefixes,
            group,
          })),
        }),
  };
}

const rawName = (name: MappedName): string => `${name} as written`;
const calledName = (name: MappedName): string => `${name} column`;

function outerColumns(name: MappedName, { raw, calledBy }: MappedColumn): string[] {
  const value = quoted(`bill ${name}`);
  // What the file says of a value that cannot be read is only looked up for such a value.
  const ofUnreadable = (sql: string): string => `CASE WHEN ${readableAmount(value)} IS NULL THEN ${sql} END`;
  return [
    `${value} AS ${quoted(name)}`,
    ...(raw === undefined
      ? []
      : [`${calledBy === undefined ? raw : ofUnreadable(raw)} AS ${quoted(rawName(name))}`]),
    ...(calledBy === undefined ? [] : [`${ofUnreadable(calledBy)} AS ${quoted(calledName(name))}`]),
  ];
}

const described = (name: MappedName, { type, called, raw, calledBy }: MappedColumn): ExportColumn => ({
  name,
  type,
  written: {
    called: {
      name: called,
      sql:
        calledBy === undefined
          ? sqlText(called)
          : `COALESCE(${quoted(calledName(name))}, ${sqlText(called)})`,
    },
    ...(raw === undefined ? {} : { as: rawName(name) }),
  },
});
