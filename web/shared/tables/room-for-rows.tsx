import type { ReactNode } from 'react';

/** Keeps the room of rows that are not drawn, in pixels. */
export const RoomForRows = ({ height, columns }: { height: number; columns: number }): ReactNode => (
  <tr aria-hidden style={{ height }}>
    <td colSpan={columns} style={{ padding: 0 }} />
  </tr>
);
