import { parseArgs } from 'node:util';

const BENCHMARKS = [
  'ingest',
  'changed',
  'values',
  'csv',
  'writers',
  'imports',
  'months',
  'bills',
  'units',
  'answers',
  'lake',
  'pages',
  'exports',
  'backup',
  'neighbours',
  'fairness',
  'scale',
  'small-machine',
  'crash',
  'crash-nodes',
] as const;
export type Benchmark = (typeof BENCHMARKS)[number];

/** The options of a run of the benchmarks. */
export interface RunOptions {
  only: readonly Benchmark[];
  /** Lines of the export that the ingest reads. Its memory is also measured with four times as many. */
  rows: number;
  /** Uses small sizes and few repetitions, to show that everything works. The numbers mean nothing. */
  quick: boolean;
  /** Measures memory with four times the rows for both formats instead of only Parquet. */
  full: boolean;
  repetitions: number;
  rounds: number;
  seed: number;
  json: string | null;
}

function wholeNumber(name: string, text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1)
    throw new Error(`--${name}: expected a whole number above 0, got ${text}`);
  return number;
}

const isBenchmark = (name: string): name is Benchmark => BENCHMARKS.some((known) => known === name);

/** Reads the options of a command line. Throws an error that names a wrong option. */
export function readRunOptions(args: readonly string[]): RunOptions {
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
}
