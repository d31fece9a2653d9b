import type { ReactNode } from 'react';
import { instantText } from './times.ts';

/** An instant in the browser's time zone, with the exact one in UTC on hover. */
export const Instant = ({ at }: { at: string }): ReactNode => (
  <time dateTime={at} title={at} style={{ whiteSpace: 'nowrap' }}>
    {instantText(at)}
  </time>
);
