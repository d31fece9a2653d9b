import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { cells, HEADER, type Measurement } from './measurement.ts';

/** The page with the last results, relative to dist/bench. */
const PAGE = resolve(import.meta.dirname, '../../bench/results.md');

const TITLE = `# Results

The last run of each benchmark at full size, with its commit and its machine. \`npm run bench\` writes this page; see
[how to read it](README.md#how-to-read-them).
`;

/** Returns the sections of the page by benchmark. */
const sectionsOf = (page: string): Map<string, string> =>
  new Map(
    page.split(/^(?=## )/m).flatMap((section) => {
      const name = /^## (\S+)/.exec(section)?.[1];
      return name === undefined ? [] : [[name, section.trimEnd()]];
    }),
  );

/** Replaces the results of the benchmarks that ran. Those of others stay. */
export async function keepResults(measurements: readonly Measurement[], machine: string): Promise<void> {
  const page = await readFile(PAGE, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  });
  const known = sectionsOf(page);
  for (const benchmark of new Set(measurements.map((one) => one.benchmark))) {
    const rows = measurements.filter((one) => one.benchmark === benchmark).map((one) => cells(one).slice(1));
    const lines = [HEADER.slice(1), HEADER.slice(1).map(() => '-'), ...rows].map(
      (row) => `| ${row.join(' | ')} |`,
    );
    const day = new Date().toISOString().slice(0, 10);
    known.set(benchmark, `## ${benchmark}\n\n${day}, ${machine}\n\n${lines.join('\n')}`);
  }
  const sections = [...known]
    .sort(([one], [other]) => one.localeCompare(other))
    .map(([, section]) => section);
  await writeFile(PAGE, `${[TITLE.trimEnd(), ...sections].join('\n\n')}\n`);
}
