/** Returns the charsets that a content type names, in lower case. */
function charsetsOf(type: string): string[] {
  const [, ...parameters] = type.split(';').map((part) => part.replaceAll(/\s/g, '').toLowerCase());
  return parameters
    .filter((parameter) => parameter.startsWith('charset'))
    .map((parameter) => /^charset="?([^"]*)"?$/.exec(parameter)?.[1] ?? '');
}

/** The names of UTF-8, in lower case. */
const UTF_8 = ['utf-8', 'utf8'];

/** Whether a content type names UTF-8, in any spelling, or no charset. */
export const isUtf8Type = (type: string): boolean =>
  charsetsOf(type).every((charset) => UTF_8.includes(charset));

/** Returns the charset of `known` that a content type names, null if it names none, and undefined if it names another. */
export function charsetIn<Charset extends string>(
  type: string,
  known: readonly Charset[],
): Charset | null | undefined {
  const [charset, ...others] = new Set(
    charsetsOf(type).map((name) => (UTF_8.includes(name) ? 'utf-8' : name)),
  );
  if (charset === undefined) return null;
  return others.length > 0 ? undefined : known.find((one) => one === charset);
}
