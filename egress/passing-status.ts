const PASSING = new Set([408, 425, 429]);

/** Whether an HTTP status tells of something that may pass by itself: an outage, or a limit that was reached. */
export const mayPass = (status: number): boolean => status >= 500 || PASSING.has(status);
