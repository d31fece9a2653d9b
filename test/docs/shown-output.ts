/**
 * Compares the output of commands with what a page shows. Returns the difference, or null. The notation of the pages:
 *
 * - `…` stands for anything: any characters of a text, any items, any fields.
 * - A block of `json` holds one value for each printed line. Without `…` a value has exactly the shown fields and items. A line
 *   break inside a text stands for a space.
 * - A block of `text` holds the printed lines. A line of `…` alone stands for any lines.
 */
export const differenceTo = (shown: { language: string; text: string }, printed: string): string | null =>
  shown.language === 'json' ? jsonDifference(shown.text, printed) : textDifference(shown.text, printed);

const ANY = '…';

/** Returns whether a text matches a pattern, in which `…` stands for any characters. */
const isLike = (pattern: string, text: string): boolean =>
  new RegExp(
    `^${pattern
      .split(ANY)
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('[^]*')}$`,
  ).test(text);

function textDifference(shown: string, printed: string): string | null {
  const expected = shown.split('\n').map((line) => line.trimEnd());
  const actual = printed
    .trimEnd()
    .split('\n')
    .map((line) => line.trimEnd());
  return haveSameItems(expected, actual, isLike) ? null : `expected\n${shown}\ngot\n${printed}`;
}

/** Returns whether items fit the expected ones in order. The item `…` fits any number of items. */
function haveSameItems<Expected, Actual>(
  expected: readonly Expected[],
  actual: readonly Actual[],
  fits: (expected: Expected, actual: Actual) => boolean,
): boolean {
  const [first, ...others] = expected;
  if (first === undefined) return actual.length === 0;
  if (first === ANY)
    return Array.from({ length: actual.length + 1 }, (_, skipped) => actual.slice(skipped)).some((rest) =>
      haveSameItems(others, rest, fits),
    );
  const [next, ...rest] = actual;
  return next !== undefined && fits(first, next) && haveSameItems(others, rest, fits);
}

function jsonDifference(shown: string, printed: string): string | null {
  const expected = shownValues(shown);
  const actual = printed
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line): unknown => JSON.parse(line));
  if (expected.length !== actual.length)
    return `expected ${expected.length} lines of JSON, got ${actual.length}:\n${printed}`;
  const differences = expected.map((value, index) => valueDifference(value, actual[index], 'answer'));
  const first = differences.find((difference) => difference !== null);
  return first === undefined ? null : `${first} in\n${printed}`;
}

/** Returns `…` as JSON: a field, or a value or item. */
const anything = (isField: boolean): string => (isField ? `"${ANY}":"${ANY}"` : `"${ANY}"`);

/** Returns the values of a block. Each `…` outside a text becomes the text `…`, so that the block is JSON. */
function shownValues(shown: string): unknown[] {
  const values: unknown[] = [];
  const open: string[] = [];
  let text = '';
  let before = '';
  for (const [token] of shown.matchAll(/"(?:[^"\\]|\\.)*"|\s+|[^]/g)) {
    if (/^\s/.test(token)) continue;
    if (token.startsWith('"')) text += token.replace(/\s*\n\s*/g, ' ');
    else text += token === ANY ? anything(open.at(-1) === '{' && before !== ':') : token;
    if (token === '{' || token === '[') open.push(token);
    if (token === '}' || token === ']') open.pop();
    before = token;
    if (open.length === 0) {
      values.push(JSON.parse(text));
      text = '';
    }
  }
  if (text !== '') throw new Error(`expected whole values of JSON, got ${shown}`);
  return values;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns where and how a value differs from the shown one; null if it does not. */
function valueDifference(shown: unknown, value: unknown, path: string): string | null {
  const different = `${path}: expected ${JSON.stringify(shown)}, got ${JSON.stringify(value)}`;
  if (shown === ANY) return null;
  if (typeof shown === 'string') return typeof value === 'string' && isLike(shown, value) ? null : different;
  if (Array.isArray(shown)) {
    if (!Array.isArray(value)) return different;
    const fits = (expected: unknown, actual: unknown): boolean =>
      valueDifference(expected, actual, path) === null;
    if (haveSameItems(shown, value, fits)) return null;
    const at = shown.includes(ANY) ? -1 : shown.findIndex((item, index) => !fits(item, value[index]));
    return at < 0 ? different : valueDifference(shown[at], value[at], `${path}[${at}]`);
  }
  if (!isObject(shown)) return shown === value ? null : different;
  if (!isObject(value)) return different;
  const unexpected = Object.keys(value).filter((key) => !(key in shown));
  if (!(ANY in shown) && unexpected.length > 0) return `${path}: unexpected ${unexpected.join(', ')}`;
  const fields = Object.entries(shown).filter(([key]) => key !== ANY);
  return (
    fields
      .map(([key, item]) => valueDifference(item, value[key], `${path}.${key}`))
      .find((difference) => difference !== null) ?? null
  );
}
