import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { as, ingestSource, newOrganisationWithFolder, newSource } from '../client/client.ts';
import { SMALL_MACHINE, startDemo } from '../client/demo.ts';
import { memoryOfMachine, watchMemory } from '../client/machine-memory.ts';
import { cpuDuring } from '../client/process-cpu.ts';
import { startService, type Service } from '../client/service.ts';
import { focusExport } from '../data/focus-export.ts';
import { alone, describe, type Measurement } from '../measurement.ts';
import type { RunOptions } from '../run-options.ts';
import { say } from '../say.ts';
import { median } from '../statistics.ts';

const MIB = 2 ** 20;
/** The memory of the smallest useful machine. */
const MACHINE_MIB = 1024;

/**
 * `small-machine`: measures the demo, the start and the rest of a service. Then it measures the demo and ingests with the core and
 * the memory of the smallest machine.
 */
export async function smallMachine(options: RunOptions): Promise<Measurement[]> {
  const directory = await mkdtemp(join(tmpdir(), 'cost-analytics-small-'));
  try {
    const measurements = [
      ...(await demoAndRest(join(directory, 'usual'), options)),
      ...(await onSmallMachine(join(directory, 'small'), options)),
    ];
    for (const measurement of measurements) say(`small-machine: ${describe(measurement)}`);
    return measurements;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Shows the demo, starts the service on its data some times, and lets it rest. */
async function demoAndRest(dataDir: string, { quick, repetitions }: RunOptions): Promise<Measurement[]> {
  const demo = await startDemo(dataDir);
  await demo.stop();
  const starts: number[] = [];
  for (let start = 1; start <= repetitions; start += 1) {
    const service = await startUntilReady(dataDir);
    starts.push(service.seconds);
    await service.stop();
  }
  const service = await startUntilReady(dataDir);
  try {
    await sleep(quick ? 5_000 : 120_000);
    const seconds = quick ? 5 : 60;
    const { cpu } = await cpuDuring({ all: [service.pid] }, () => sleep(seconds * 1_000));
    const { own, temporal } = await memoryOfMachine(service.pid);
    return [
      measured('demo: the first unit cost', 's', 15, demo.seconds.first),
      measured('demo: everything', 's', 40, demo.seconds.whole),
      measured('start until /readyz answers 200', 's', 3, median(starts)),
      measured('at rest: memory of the service', 'MiB', 250, own / MIB),
      measured('at rest: memory of Temporal', 'MiB', null, temporal / MIB),
      measured('at rest: CPU of the service and Temporal in a second', 'ms', 10, (cpu.all / seconds) * 1_000),
    ];
  } finally {
    await service.stop();
  }
}

/** Starts the service, and waits until it is ready for requests. */
async function startUntilReady(dataDir: string): Promise<Service & { seconds: number }> {
  const started = performance.now();
  const service = await (await startService(dataDir)).ready;
  while ((await fetch(`${service.url}/readyz`)).status !== 200) await sleep(10);
  return { ...service, seconds: (performance.now() - started) / 1000 };
}

/** Shows the demo on one core with the settings of 1 GiB. Then another organisation of its service ingests. */
async function onSmallMachine(dataDir: string, { quick }: RunOptions): Promise<Measurement[]> {
  const rows = quick ? 100_000 : 1_000_000;
  const demo = await startDemo(dataDir, SMALL_MACHINE);
  try {
    const measurements = [
      measured('1 core, 1 GiB: the demo', 's', null, demo.seconds.whole),
      measured('1 core, 1 GiB: the demo, most memory of all', 'MiB', MACHINE_MIB, demo.most().all / MIB),
    ];
    const { secret, folder } = await newOrganisationWithFolder({ ...demo, dataDir });
    const admin = as(demo, secret);
    for (const format of ['parquet', 'csv.gz'] as const) {
      const file = join(folder, `bill.${format}`);
      await copyFile(await focusExport(rows, format), file);
      const watch = watchMemory(demo.pid);
      const { run, seconds } = await ingestSource(admin, await newSource(admin, file, format));
      watch.stop();
      if (run.rows_read !== rows)
        throw new Error(`expected ${rows} rows, and the ingest read ${run.rows_read}`);
      const name = `1 core, 1 GiB: an ingest of ${rows / 1e6} M lines of ${format}`;
      measurements.push(
        measured(name, 's', null, seconds),
        measured(`${name}, most memory of all`, 'MiB', MACHINE_MIB, watch.most().all / MIB),
      );
    }
    return measurements;
  } finally {
    await demo.stop();
  }
}

const measured = (
  name: string,
  unit: Measurement['unit'],
  target: number | null,
  ours: number,
): Measurement => alone({ benchmark: 'small-machine', name, unit, target }, ours);
