import { createHash } from 'node:crypto';

/** Reads how much the suite tries. test/README.md describes the variables. `.ci/run` sets THOROUGH and a fresh SEED. */
function numberFrom(name: string, otherwise: number): number {
  const text = process.env[name] ?? '';
  if (text === '') return otherwise;
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 0)
    throw new Error(`${name}: expected a whole number, got ${JSON.stringify(text)}`);
  return number;
}

/** A part of the suite, such as the second of three. */
interface Part {
  kept: number;
  parts: number;
}

/** Reads a part such as `2/3` from a variable; null without it. */
export function partFrom(name: string): Part | null {
  const text = process.env[name] ?? '';
  if (text === '') return null;
  const [, kept, parts] = (/^([1-9])\/([1-9])$/.exec(text) ?? []).map(Number);
  if (kept === undefined || parts === undefined || kept > parts)
    throw new Error(`${name}: expected a part such as 1/2, got ${JSON.stringify(text)}`);
  return { kept, parts };
}

/** Whether a part has the item at an index: `1/2` has every second item, from the first on, and `2/2` the others. */
export const isInPart = (part: Part | null, index: number): boolean =>
  part === null || index % part.parts === part.kept - 1;

/** Whether the run has time for all variants of long stories, for example every way to damage a database. */
export const THOROUGH = (process.env['THOROUGH'] ?? '') !== '';

/** Whether the service under test is several processes over a DuckLake. */
export const SCALED_OUT = (process.env['SCALED_OUT'] ?? '') !== '';

/** Versions of Node that install and run the tarball as `npx` does. */
export const NODES = (process.env['NODES'] ?? '').split(',').filter((version) => version !== '');

/** The seed of every random test. It stays the same from run to run, so that a new failure comes from the change. */
export const SEED = numberFrom('SEED', 70_000_000);

/** Returns all cases of a table in a thorough run, and otherwise some, chosen by the seed. */
export function someOf<Case>(cases: readonly Case[], most: number): Case[] {
  if (THOROUGH) return [...cases];
  const rank = (index: number): string => createHash('sha256').update(`${SEED} ${index}`).digest('hex');
  const ranked = [...cases.keys()].sort((one, other) => rank(one).localeCompare(rank(other)));
  const chosen = new Set(ranked.slice(0, most));
  return cases.filter((_, index) => chosen.has(index));
}

/** Random organisations on each engine. On DuckLake each takes about ten times as long. */
export const ORGANISATIONS = {
  DuckDB: numberFrom('RUNS', THOROUGH ? 6 : 2),
  DuckLake: numberFrom('RUNS', 1),
};

/** Random FOCUS exports. */
export const FOCUS_EXPORTS = numberFrom('RUNS', THOROUGH ? 15 : 8);

/** How often the service is killed while imports run. Each kill takes about twenty seconds. */
export const KILLS = numberFrom('KILLS', 3);

/** Races of two nodes for each decision that only one may win. */
export const RACES = numberFrom('RACES', 3);

/** Mutated inputs of an attack. */
export const MUTATED_INPUTS = numberFrom('INPUTS', THOROUGH ? 200 : 150);
