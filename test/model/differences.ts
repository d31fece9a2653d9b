const MOST_SHOWN = 12;

/** Returns the differences of two answers as text, empty if there are none. It is short to read and fast to shrink by. */
export function differences(got: unknown, expected: unknown): string {
  const found: string[] = [];
  const compare = (at: string, mine: unknown, theirs: unknown): void => {
    if (isPlain(mine) && isPlain(theirs)) {
      for (const key of new Set([...Object.keys(mine), ...Object.keys(theirs)]))
        compare(`${at}.${key}`, mine[key], theirs[key]);
    } else if (JSON.stringify(mine) !== JSON.stringify(theirs))
      found.push(`${at}: got ${JSON.stringify(mine)}, expected ${JSON.stringify(theirs)}`);
  };
  compare('', got, expected);
  const more = found.length > MOST_SHOWN ? [`and ${found.length - MOST_SHOWN} more`] : [];
  return [...found.slice(0, MOST_SHOWN), ...more].join('\n');
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
