import { writeFile } from 'node:fs/promises';
import { cpus, loadavg, totalmem } from 'node:os';
import { version as duckDbVersion } from '@duckdb/node-api';
import { answers } from './cases/answers.ts';
import { backup } from './cases/backup.ts';
import { bills } from './cases/bills.ts';
import { changed } from './cases/changed.ts';
import { csvUpload } from './cases/csv-upload.ts';
import { crash } from './cases/crash/crash.ts';
import { crashNodes } from './cases/crash/crash-nodes.ts';
import { exports } from './cases/exports.ts';
import { fairness } from './cases/fairness.ts';
import { imports } from './cases/imports.ts';
import { ingest } from './cases/ingest.ts';
import { lake } from './cases/lake.ts';
import { months } from './cases/months.ts';
import { neighbours } from './cases/neighbours.ts';
import { table, type Measurement } from './measurement.ts';
import { pages } from './cases/pages.ts';
import { measuredCommit } from './measured-commit.ts';
import { keepResults } from './results.ts';
import { readRunOptions, type Benchmark, type RunOptions } from './run-options.ts';
import { say } from './say.ts';
import { smallMachine } from './cases/small-machine.ts';
import { scale } from './cases/scale/scale.ts';
import { units } from './cases/units.ts';
import { values } from './cases/values.ts';
import { writers } from './cases/writers.ts';

const PROGRAMS: Record<Benchmark, (options: RunOptions) => Promise<Measurement[]>> = {
  ingest,
  changed,
  values,
  csv: csvUpload,
  writers,
  imports,
  months,
  bills,
  units,
  answers,
  lake,
  pages,
  exports,
  backup,
  neighbours,
  fairness,
  scale,
  'small-machine': smallMachine,
  crash,
  'crash-nodes': crashNodes,
};

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    say(`stopped by ${signal}`);
    process.exit(1);
  });
}

try {
  const options = readRunOptions(process.argv.slice(2));
  const machine = {
    commit: await measuredCommit(),
    cpus: `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}`,
    memory_gib: Math.round(totalmem() / 2 ** 30),
    node: process.version,
    duckdb: duckDbVersion(),
    load_at_start: loadavg(),
  };
  say(`seed ${options.seed}, ${machine.cpus}, ${machine.memory_gib} GiB, Node ${machine.node}`);
  if (options.quick) say('--quick: the sizes are too small for meaningful ratios');
  const measurements: Measurement[] = [];
  for (const benchmark of options.only) measurements.push(...(await PROGRAMS[benchmark](options)));
  process.stdout.write(`\n${table(measurements)}\n`);
  if (!options.quick)
    await keepResults(
      measurements,
      `${machine.commit}, ${machine.cpus}, ${machine.memory_gib} GiB, Node ${machine.node}, DuckDB ${machine.duckdb}`,
    );
  if (options.json !== null) {
    const report = { measured_at: new Date().toISOString(), machine, options, measurements };
    await writeFile(options.json, `${JSON.stringify(report, null, 2)}\n`);
  }
  // With small sizes only counts can miss a target, because times and memory mean nothing.
  const missed = measurements.filter(
    ({ met, unit }) => met === false && (unit === 'count' || !options.quick),
  );
  process.exit(missed.length === 0 ? 0 : 1);
} catch (error) {
  process.stderr.write(`bench: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exit(1);
}
