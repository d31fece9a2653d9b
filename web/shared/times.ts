const DATE_AND_TIME = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** An instant in the browser's time zone. Days and months stay as the API gives them, in UTC. */
export const instantText = (instant: string): string => DATE_AND_TIME.format(new Date(instant));
