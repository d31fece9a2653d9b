import { Tooltip } from '@mantine/core';
import type { ReactNode, RefObject } from 'react';

/** The reason of a dash, beside it. It has a file of its own, so that a page loads it once somebody asks. */
export const ReasonTooltip = ({
  of,
  reason,
}: {
  of: RefObject<HTMLElement | null>;
  reason: string;
}): ReactNode => <Tooltip opened target={of} label={reason} multiline maw={320} />;
