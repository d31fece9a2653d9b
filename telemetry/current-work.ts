import { AsyncLocalStorage } from 'node:async_hooks';

/** What a part of the process works on, for the log: ids, and the name of a step or a route. */
export type Work = Readonly<Record<string, string | number>>;

const works = new AsyncLocalStorage<Work>();

/** Runs a function as this work. All that it begins belongs to the work, too. */
export const workingOn = <Result>(work: Work, run: () => Result): Result => works.run(work, run);

/** Returns the work that the running code belongs to; nothing if it belongs to none. */
export const currentWork = (): Work => works.getStore() ?? {};
