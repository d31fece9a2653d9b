const started = Date.now();

/** A line of progress on standard error; standard output is for the report. */
export const say = (text: string): void => {
  process.stderr.write(`${((Date.now() - started) / 1000).toFixed(1).padStart(7)} s  ${text}\n`);
};
