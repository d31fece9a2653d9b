import type { ReactNode } from 'react';

const DATE_AND_TIME = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** An instant in the browser's time zone. Days and months stay as the API gives them, in UTC. */
export const instantText = (instant: string): string => DATE_AND_TIME.format(new Date(instant));

/** An instant in the browser's time zone, with the exact one in UTC on hover. */
export const Instant = ({ at }: { at: string }): ReactNode => (
  <time dateTime={at} title={at} style={{ whiteSpace: 'nowrap' }}>
    {instantText(at)}
  </time>
);
