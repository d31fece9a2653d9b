// Tag values of a FOCUS row, in all forms that exports use (docs/data-formats.md#focus-billing-exports).
import { asWritten, nullable, quoted, withoutMark, writtenOut } from '../../feeds/cells.ts';
import type { ExportColumn } from '../../feeds/export-files.ts';
import type { Shape, TagColumn } from '../../feeds/scan-files.ts';
import { present } from '../focus-columns.ts';
import { sqlText } from '../../../engine/sql/sql-text.ts';

// A column of the same name would hide a lambda's parameter, so these are names that no export uses.
type Matching = 'exactly' | 'in any case';

const ENTRY = 'cost_analytics_tag_entry';
const NAME = 'cost_analytics_tag_name';

/**
 * Returns the SQL of a tag's value in a row, as text. It is null for a missing tag, a null value, and tags that cannot be read.
 * Keys are trimmed of spaces, and the first of equal keys wins. A number or boolean becomes its text, a nested value its JSON.
 * Other values stay as they are. `key` is a user's text, so the SQL contains it only as a literal.
 *
 * @param matching whether upper and lower case of keys are the same, as in Azure.
 */
export function tagValueOf(file: Shape, key: string, matching: Matching): string {
  const wanted = { key: key.replaceAll(/^ +| +$/g, ''), matching };
  const values = placesOf(file).flatMap((place) => valuesIn(place, wanted));
  return values.length === 0
    ? NO_TAGS
    : values.length === 1
      ? String(values[0])
      : `COALESCE(${values.join(', ')})`;
}

const NO_TAGS = 'CAST(NULL AS VARCHAR)';

/** Returns the columns with tags: those of a format of its own, or the one of FOCUS. */
const placesOf = (file: Shape): readonly TagColumn[] =>
  file.tags ??
  present(file, 'tags')
    .slice(0, 1)
    .map((column) => ({ column, prefixes: [], group: '' }));

/** Returns the SQL of each value that a tag can have in a column. */
function valuesIn({ column, key, prefixes, group }: TagColumn, wanted: Wanted): string[] {
  if (key !== undefined) return isSameKey(key, wanted) ? [nullable(asWritten(column))] : [];
  if (!wanted.key.startsWith(group)) return [];
  const own = wanted.key.slice(group.length);
  return [...prefixes, ''].map((prefix) => valueIn(column, { ...wanted, key: `${prefix}${own}` }));
}

const isSameKey = (key: string, { key: wanted, matching }: Wanted): boolean =>
  matching === 'exactly' ? key === wanted : key.toLowerCase() === wanted.toLowerCase();

/** Returns the SQL of the value of a tag in a column with all tags. */
function valueIn(column: ExportColumn, wanted: Wanted): string {
  const name = quoted(column.name);
  if (column.type.startsWith('MAP(')) return fromMap(column, wanted);
  if (isKeyValueList(column.type)) return fromEntries(name, wanted);
  if (column.type.endsWith(']')) return 'CAST(NULL AS VARCHAR)';
  // A STRUCT has every key in every row; keys that a row lacks are null.
  if (column.type.startsWith('STRUCT(')) return fromObject(writtenOut(`to_json(${name})`), wanted, 'absent');
  return fromText(withoutMark(asWritten(column)), wanted);
}

/** A tag key that is looked for, without spaces around it. */
interface Wanted {
  key: string;
  matching: Matching;
}

/** Longer tags of a row are not listed, so that a few rows cannot fill the memory. */
const MOST_LISTED_BYTES = 20_000;

/** Returns the SQL of all tags in a row as one text: JSON, if the export has well-formed tags. */
export function tagsTextOf(file: Shape): string {
  const places = placesOf(file);
  const [only, ...others] = places;
  if (only === undefined) return NO_TAGS;
  if (others.length === 0 && file.tags === undefined) return shortEnough(textOfAll(only.column));
  const entries = places.map((place) => entriesOf(place));
  return shortEnough(`NULLIF('{' || concat_ws(',', ${entries.join(', ')}) || '}', '{}')`);
}

const shortEnough = (text: string): string =>
  `CASE WHEN strlen(${text}) <= ${MOST_LISTED_BYTES} THEN ${text} END`;

/** Returns the SQL of a column with all tags as text. */
function textOfAll({ name, type }: ExportColumn): string {
  const column = quoted(name);
  if (isKeyValueList(type))
    return writtenOut(
      `to_json(list_transform(${column}, lambda ${ENTRY}: {'key': ${ENTRY}.key, 'value': ${ENTRY}.value}))`,
    );
  return type === 'VARCHAR' ? column : writtenOut(`to_json(${column})`);
}

/** Returns the SQL of a column's tags as members of a JSON object, without braces; null without tags. */
function entriesOf({ column, key, prefixes, group }: TagColumn): string {
  if (key !== undefined)
    return `${sqlText(`${JSON.stringify(key)}:`)} || CAST(to_json(${nullable(asWritten(column))}) AS VARCHAR)`;
  const text = `trim(${textOfAll(column)})`;
  const object = withOwnKeys(text, prefixes, group);
  return `NULLIF(trim(CASE WHEN starts_with(${text}, '{') AND strlen(${text}) > 2 THEN substr(${object}, 2, length(${object}) - 2) END), '')`;
}

/** Returns the SQL of a JSON object without prefixes of keys, and with the group before them. */
function withOwnKeys(json: string, prefixes: readonly string[], group: string): string {
  const before = prefixes.map((prefix) => `${prefix}|`).join('');
  // Only a key follows a brace or a comma, and is followed by a colon. Within texts quotes are escaped.
  const keys = `'([{,]\\s*)"(?:${before})((?:[^"\\\\]|\\\\.)*)"(\\s*:)'`;
  const slow = `regexp_replace(${json}, ${keys}, '\\1"${group}\\2"\\3', 'g')`;
  if (group !== '') return slow;
  if (prefixes.length === 0) return json;
  // A text without escapes and without values that begin like a prefix needs no pattern, which takes several times as long.
  const mayBeValue = prefixes.flatMap((prefix) => [`:"${prefix}`, `: "${prefix}`, `:  `]);
  const isSlow = [...mayBeValue, '\\'].map((part) => `contains(${json}, ${sqlText(part)})`).join(' OR ');
  const quick = prefixes.reduce((sql, prefix) => `replace(${sql}, ${sqlText(`"${prefix}`)}, '"')`, json);
  return `CASE WHEN ${isSlow} THEN ${slow} ELSE ${quick} END`;
}

/** Returns a tag of JSON text. Text that is not an object has no tags; JSON functions would abort the statement for it. */
const fromText = (text: string, wanted: Wanted): string =>
  `CASE WHEN starts_with(ltrim(${text}, chr(9) || chr(10) || chr(13) || ' '), '{') AND json_valid(${text}) THEN ${fromObject(text, wanted, 'a value')} END`;

/**
 * Returns the SQL of a tag in a valid JSON object. A JSON pointer finds the exact key; only ~ and / are special in it. If the key
 * may have spaces around it, or characters are escaped, the SQL compares all keys one by one.
 */
function fromObject(json: string, of: Wanted, nulls: 'a value' | 'absent'): string {
  const { key, matching } = of;
  const byKey = isWantedKey(NAME, of);
  const pointer = `'/' || replace(replace(${NAME}, '~', '~0'), '/', '~1')`;
  const wanted =
    nulls === 'absent' ? `${byKey} AND json_extract_string(${json}, ${pointer}) IS NOT NULL` : byKey;
  const found = `list_transform(list_filter(json_keys(${json}), lambda ${NAME}: ${wanted}), lambda ${NAME}: ${pointer})[1]`;
  const slow = `json_extract_string(${json}, ${found})`;
  if (matching === 'in any case')
    return `CASE WHEN contains(lower(${json}), ${sqlText(key.toLowerCase())}) OR contains(${json}, '\\') THEN ${slow} END`;
  return `CASE WHEN contains(${json}, ${sqlText(` ${key}`)}) OR contains(${json}, ${sqlText(`${key} `)}) OR contains(${json}, '\\')
    THEN ${slow}
    ELSE json_extract_string(${json}, ${sqlText(`/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`)}) END`;
}

function fromMap({ name, type }: ExportColumn, wanted: Wanted): string {
  const { key, matching } = wanted;
  const map = quoted(name);
  const slow = fromEntries(`map_entries(${map})`, wanted);
  if (!type.startsWith('MAP(VARCHAR, ') || matching === 'in any case') return slow;
  const keys = `array_to_string(map_keys(${map}), '"')`;
  return `CASE WHEN contains(${keys}, ${sqlText(` ${key}`)}) OR contains(${keys}, ${sqlText(`${key} `)})
    THEN ${slow} ELSE ${asTagValue(`${map}[${sqlText(key)}]`)} END`;
}

const isKeyValueList = (type: string): boolean =>
  /^STRUCT\("?key"? .*, "?value"? .*\)\[\]$/i.test(type) ||
  /^STRUCT\("?value"? .*, "?key"? .*\)\[\]$/i.test(type);

const fromEntries = (entries: string, wanted: Wanted): string =>
  asTagValue(
    `list_filter(${entries}, lambda ${ENTRY}: ${isWantedKey(`CAST(${ENTRY}.key AS VARCHAR)`, wanted)})[1].value`,
  );

/** Returns whether a key of a row is the wanted one, as SQL. */
const isWantedKey = (name: string, { key, matching }: Wanted): string =>
  matching === 'exactly'
    ? `trim(${name}, ' ') = ${sqlText(key)}`
    : `lower(trim(${name}, ' ')) = ${sqlText(key.toLowerCase())}`;

/** Returns the SQL of a value as JSON text; a text has no quotes. */
const asTagValue = (value: string): string => `TRY(json_extract_string(to_json(${value}), '$'))`;
