import { parseArgs } from 'node:util';

const BENCHMARKS = [
  'ingest',
  'values',
  'csv',
  'months',
  'bills',
  'reads',
  'overview',
  'exports',
  'neighbours',
  'crash',
] as const;
export type Benchmark = (typeof BENCHMARKS)[number];

/** What one run of the benchmarks does. */
export interface RunOptions {
  only: readonly Benchmark[];
  /** Lines of the export that the ingest reads; its memory is measured at four times as many too. */
  rows: number;
  /** Small sizes and few repetitions: shows that everything works, its numbers mean nothing. */
  quick: boolean;
  /** Measures memory at four times the rows for both formats, not for Parquet alone. */
  full: boolean;
  repetitions: number;
  rounds: number;
  seed: number;
  json: string | null;
}

const wholeNumber = (name: string, text: string): number => {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1)
    throw new Error(`--${name}: expected a whole number above 0, got ${text}`);
  return number;
};

const isBenchmark = (name: string): name is Benchmark => BENCHMARKS.some((known) => known === name);

/** Reads the options of a command line. Throws an error that names the one that is wrong. */
export const readRunOptions = (args: readonly string[]): RunOptions => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string', multiple: true },
      rows: { type: 'string' },
      rounds: { type: 'string' },
      repetitions: { type: 'string' },
      seed: { type: 'string' },
      json: { type: 'string' },
      quick: { type: 'boolean', default: false },
      full: { type: 'boolean', default: false },
    },
  });
  const only = (values.only ?? []).flatMap((names) => names.split(','));
  const chosen = only.filter(isBenchmark);
  if (chosen.length < only.length)
    throw new Error(`--only: expected ${BENCHMARKS.join(', ')}, got ${only.join(', ')}`);
  const number = (name: 'rows' | 'rounds' | 'repetitions' | 'seed', usual: number): number => {
    const text = values[name];
    return text === undefined ? usual : wholeNumber(name, text);
  };
  return {
    only: chosen.length === 0 ? BENCHMARKS : chosen,
    rows: number('rows', values.quick ? 200_000 : 5_000_000),
    rounds: number('rounds', values.quick ? 4 : 50),
    repetitions: number('repetitions', values.quick ? 1 : 5),
    seed: number('seed', Date.now() % 1_000_000_007),
    json: values.json ?? null,
    quick: values.quick,
    full: values.full,
  };
};
