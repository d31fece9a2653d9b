const PASSING = new Set([408, 425, 429]);

/** What a server cannot do at all: another method, another version of HTTP. */
const INCAPABLE = new Set([501, 505]);

/** Whether an HTTP status reports a failure that may pass by itself: an outage, or a limit that was reached. */
export const mayPass = (status: number): boolean =>
  (status >= 500 && !INCAPABLE.has(status)) || PASSING.has(status);
