const QUOTE = '"'.charCodeAt(0);
const BACKSLASH = '\\'.charCodeAt(0);
const COMMA = ','.charCodeAt(0);
const OPENING = new Set(['[', '{'].map((bracket) => bracket.charCodeAt(0)));
const CLOSING = new Set([']', '}'].map((bracket) => bracket.charCodeAt(0)));

/** Most levels of nesting. Every schema needs far fewer. */
const DEEPEST = 64;

/**
 * Returns why a JSON text costs far more than its bytes, or null. Such a text is nested too deeply, or has too many items. Call it
 * before the parser, whose objects take the memory, and before a schema, which finds a problem in every item.
 *
 * @param json text in UTF-8. No byte of another character equals a sign of JSON.
 * @param mostItems the most lists, objects, and items and fields in them.
 */
export function costlyJson(json: Uint8Array, mostItems: number): string | null {
  let depth = 0;
  let items = 0;
  let inText = false;
  for (let at = 0; at < json.length; at += 1) {
    const code = json[at] ?? 0;
    if (code === QUOTE) inText = !inText;
    else if (inText) {
      if (code === BACKSLASH) at += 1;
    } else if (code === COMMA) items += 1;
    else if (OPENING.has(code)) {
      depth += 1;
      items += 1;
      if (depth > DEEPEST) return `expected at most ${DEEPEST} levels of nesting, got more`;
    } else if (CLOSING.has(code)) depth -= 1;
    if (items > mostItems) return `expected at most ${mostItems} items and fields, got more`;
  }
  return null;
}
