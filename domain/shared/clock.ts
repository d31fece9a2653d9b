/** The only source of the current time. It is injected everywhere, so that `CLOCK` can pin it (docs/operation.md#settings). */
export interface Clock {
  now(): Date;
}

/** Returns a clock that always shows the same instant. */
export const fixedClock = (instant: Date): Clock => ({ now: () => new Date(instant) });

export const systemClock: Clock = { now: () => new Date() };
