import { totalmem } from 'node:os';

/** A quarter leaves room for the process itself, its Temporal server, and a reader with half as much. */
const SHARE = 1 / 4;
const MOST_MB = 1_000;
/** With less, no ingest succeeds. */
const LEAST_MB = 128;

/** Returns the bytes that this process may use: those of its container, or of the machine. */
const memoryOfMachine = (): number => Math.min(process.constrainedMemory() || Infinity, totalmem());

/** Returns the memory limit of DuckDB if no setting has one, for a machine with so many bytes. */
export function defaultMemory(machine = memoryOfMachine()): string {
  const share = Math.floor((machine * SHARE) / 1e6);
  return share >= MOST_MB ? '1GB' : `${Math.max(LEAST_MB, share)}MB`;
}
