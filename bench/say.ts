const started = Date.now();

/** Prints a line of progress to standard error, because standard output is for the report. */
export function say(text: string): void {
  process.stderr.write(`${((Date.now() - started) / 1000).toFixed(1).padStart(7)} s  ${text}\n`);
}
