/** A part of a name's pattern: one character, or any number of them. */
interface Part {
  isRun: boolean;
  /** The only character that it matches; null if there are more. */
  literal: string | null;
  has: (character: string) => boolean;
}

/** A segment of a glob: a pattern of names, or `**`, which matches any number of folders, also zero. */
interface Segment {
  isAnyFolders: boolean;
  /** The only name that it matches; null if there are more. */
  literal: string | null;
  matches: (name: string) => boolean;
}

/** The position of a path in a glob: the segments that may match its next name. */
export type GlobState = ReadonlySet<number>;

/**
 * A glob of paths with the syntax of DuckDB: `*`, `?`, `[abc]`, `[a-z]` and `[!a]` within a name, and `**` for folders of any
 * depth. DuckDB backtracks over all stars of a name, which may never end and cannot be stopped. This class needs time
 * proportional to at most the product of the two lengths.
 */
export class Glob {
  readonly #segments: readonly Segment[];
  readonly start: GlobState;

  constructor(pattern: string) {
    const texts = namesOf(pattern).filter((text, index, all) => text !== '**' || all[index - 1] !== '**');
    // The last `**` also matches files, in this folder and below.
    if (texts.at(-1) === '**') texts.push('*');
    this.#segments = texts.map(segmentOf);
    this.start = this.#with(new Set(), 0);
  }

  /** Returns the state after one more name. `**` does not follow links: a link must match another segment. */
  after(state: GlobState, name: string, isLink = false): GlobState {
    const next = new Set<number>();
    for (const index of state) {
      const segment = this.#segments[index];
      if (segment === undefined) continue;
      if (segment.isAnyFolders ? !isLink : segment.matches(name))
        this.#with(next, segment.isAnyFolders ? index : index + 1);
    }
    return next;
  }

  /** Whether a path that ends here matches. */
  isMatch(state: GlobState): boolean {
    return state.has(this.#segments.length);
  }

  /** Whether something below a folder can match. */
  hasMore(state: GlobState): boolean {
    return [...state].some((index) => index < this.#segments.length);
  }

  /** Whether `**` may match the next name. */
  isAnyFolders(state: GlobState): boolean {
    return [...state].some((index) => this.#segments[index]?.isAnyFolders);
  }

  /** Returns the only names that can come next; null if the folder must be listed to find them. */
  literalNames(state: GlobState): string[] | null {
    const names: string[] = [];
    for (const index of state) {
      const segment = this.#segments[index];
      if (segment === undefined) continue;
      if (segment.literal === null) return null;
      names.push(segment.literal);
    }
    return names;
  }

  matches(path: string): boolean {
    return this.isMatch(namesOf(path).reduce((state, name) => this.after(state, name), this.start));
  }

  #with(state: Set<number>, index: number): Set<number> {
    state.add(index);
    // `**` may also match no folder at all.
    if (this.#segments[index]?.isAnyFolders) state.add(index + 1);
    return state;
  }
}

/** Returns a glob that matches only this path. */
export const escapeGlob = (path: string): string => path.replace(/[*?[\\]/g, '[$&]');

/** Returns the part of a glob before its first wildcard, with which all that it matches begins. */
export const fixedPart = (pattern: string): string => pattern.replace(/[*?[\\].*$/s, '');

/** Splits a path into names. Repeated slashes count as one. */
const namesOf = (path: string): string[] => path.split('/').filter((name) => name !== '');

function segmentOf(text: string): Segment {
  if (text === '**') return { isAnyFolders: true, literal: null, matches: () => true };
  const parts = partsOf(text);
  if (parts === null) return { isAnyFolders: false, literal: null, matches: () => false };
  const name = parts.map(({ literal }) => literal ?? '').join('');
  // No listing shows `.` and `..`, and as names they would lead elsewhere.
  const isName = parts.every(({ literal }) => literal !== null) && name !== '.' && name !== '..';
  return {
    isAnyFolders: false,
    literal: isName ? name : null,
    matches: (other) => matchesParts(parts, Array.from(other)),
  };
}

const ANY_RUN: Part = { isRun: true, literal: null, has: () => true };
const ANY_CHARACTER: Part = { isRun: false, literal: null, has: () => true };

const literalPart = (literal: string): Part => ({
  isRun: false,
  literal,
  has: (character) => character === literal,
});

/** Returns the parts of a name's pattern; null if the pattern is incomplete, so that it matches nothing. */
function partsOf(text: string): Part[] | null {
  const characters = Array.from(text);
  const parts: Part[] = [];
  for (let at = 0; at < characters.length; at += 1) {
    const character = characters[at] ?? '';
    if (character === '*') parts.push(ANY_RUN);
    else if (character === '?') parts.push(ANY_CHARACTER);
    else if (character === '\\') {
      const escaped = characters[(at += 1)];
      if (escaped === undefined) return null;
      parts.push(literalPart(escaped));
    } else if (character === '[') {
      const set = setFrom(characters, at + 1);
      if (set === null) return null;
      parts.push(set.part);
      at = set.end;
    } else parts.push(literalPart(character));
  }
  return parts;
}

/** Returns the set of characters after a `[`, and the index of its `]`; null if the set is not closed. */
function setFrom(characters: readonly string[], opened: number): { part: Part; end: number } | null {
  const isInverted = characters[opened] === '!';
  const first = isInverted ? opened + 1 : opened;
  const ranges: { from: string; to: string }[] = [];
  let at = first;
  // A `]` that comes first is one of the characters.
  while (characters[at] !== ']' || at === first) {
    const from = characters[at];
    const to = characters[at + 1] === '-' ? characters[at + 2] : from;
    if (from === undefined || to === undefined) return null;
    ranges.push({ from, to });
    at += characters[at + 1] === '-' ? 3 : 1;
  }
  const [only] = ranges;
  if (!isInverted && ranges.length === 1 && only?.from === only?.to)
    return { part: literalPart(only?.from ?? ''), end: at };
  const has = (character: string): boolean =>
    ranges.some(({ from, to }) => codeOf(from) <= codeOf(character) && codeOf(character) <= codeOf(to));
  return {
    part: { isRun: false, literal: null, has: (character) => has(character) !== isInverted },
    end: at,
  };
}

const codeOf = (character: string): number => character.codePointAt(0) ?? 0;

/** Whether a name matches. Only the last star is tried again, because an earlier one could match nothing more. */
function matchesParts(parts: readonly Part[], characters: readonly string[]): boolean {
  let at = 0;
  let part = 0;
  let run: { part: number; at: number } | null = null;
  while (at < characters.length) {
    const here = parts[part];
    if (here?.isRun) {
      part += 1;
      run = { part, at };
    } else if (here?.has(characters[at] ?? '')) {
      part += 1;
      at += 1;
    } else if (run !== null) {
      run.at += 1;
      ({ part, at } = run);
    } else return false;
  }
  while (parts[part]?.isRun) part += 1;
  return part === parts.length;
}
