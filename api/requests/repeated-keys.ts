import { invalid } from '../../domain/shared/errors.ts';
import { pathText } from '../http/invalid-input.ts';

const BACKSLASH = '\\'.charCodeAt(0);
const QUOTE = '"'.charCodeAt(0);
const COLON = ':'.charCodeAt(0);
const COMMA = ','.charCodeAt(0);
const [OPEN_OBJECT, OPEN_ARRAY] = ['{', '['].map((bracket) => bracket.charCodeAt(0));
const [CLOSE_OBJECT, CLOSE_ARRAY] = ['}', ']'].map((bracket) => bracket.charCodeAt(0));
/** Blanks, tabs and line ends. */
const LAST_BLANK = 0x20;

/** An open object, with the keys so far, or an open array. `at` is the current key or index. */
interface Open {
  keys: Set<string> | null;
  at: string | number;
}

/**
 * Throws for an object that has a key twice, with its path. A parser would take the last value without a word.
 *
 * @param body a valid JSON text.
 */
export function refuseRepeatedKeys(body: string): void {
  const open: Open[] = [];
  for (let at = 0; at < body.length; at += 1) {
    const code = body.charCodeAt(at);
    const within = open.at(-1);
    if (code === QUOTE) {
      const end = endOfText(body, at);
      if (within?.keys != null && isKey(body, end))
        noteKey(open, within, within.keys, body.slice(at, end + 1));
      at = end;
    } else if (code === OPEN_OBJECT) open.push({ keys: new Set(), at: '' });
    else if (code === OPEN_ARRAY) open.push({ keys: null, at: 0 });
    else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) open.pop();
    else if (code === COMMA && typeof within?.at === 'number') within.at += 1;
  }
}

/** Returns the index of the quote that closes the text whose first quote is at `start`. */
function endOfText(body: string, start: number): number {
  let at = start + 1;
  while (body.charCodeAt(at) !== QUOTE) at += body.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at;
}

/** Whether a colon follows the text that ends at `end`. */
function isKey(body: string, end: number): boolean {
  let at = end + 1;
  while (body.charCodeAt(at) <= LAST_BLANK) at += 1;
  return body.charCodeAt(at) === COLON;
}

function noteKey(open: readonly Open[], within: Open, keys: Set<string>, text: string): void {
  // An escaped letter is the same key.
  const key = text.includes('\\') ? (JSON.parse(text) as string) : text.slice(1, -1);
  within.at = key;
  if (keys.has(key)) {
    const path = open.map((outer) => outer.at);
    throw invalid(`${pathText(path) || 'body'}: expected this field once, got it twice`);
  }
  keys.add(key);
}
