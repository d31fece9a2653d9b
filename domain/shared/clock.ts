/** The one source of the present: injected everywhere, so that `CLOCK` can pin it (contract §4). */
export interface Clock {
  now(): Date;
}

/** A clock on which time stands still. */
export const fixedClock = (instant: Date): Clock => ({ now: () => new Date(instant) });

/** The machine's clock. */
export const systemClock: Clock = { now: () => new Date() };
