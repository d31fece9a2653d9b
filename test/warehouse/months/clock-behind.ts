import { AsyncLocalStorage } from 'node:async_hooks';

const BEHIND_MS = 3_600_000;

const isBehind = new AsyncLocalStorage<true>();

const realNow = Date.now;
Date.now = () => realNow() - (isBehind.getStore() === true ? BEHIND_MS : 0);

/** Does work as a machine whose clock is an hour behind, so that its time-ordered ids are older than the ids of others. */
export const onClockBehind = <Result>(work: () => Promise<Result>): Promise<Result> =>
  isBehind.run(true, work);
