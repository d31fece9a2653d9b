import { Button, Tooltip, type ButtonProps } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import type { Schema } from '../../http/api.ts';
import type { ShownMetric } from '../../metrics/metric-queries.ts';
import { Dialog } from '../../shared/forms/dialog.tsx';
import { sentence } from '../../shared/sentences.tsx';

export type WayOut = Schema<'Doubt'>['ways_out'][number];

/** What the button of a way out knows. */
export interface WayOutProps {
  way: WayOut;
  doubt: Schema<'Doubt'>;
  metric: ShownMetric;
  /** The month in doubt. */
  month: string;
  /** Opens the lock of the month with its doubts accepted; null if the month cannot be locked so. */
  accept: (() => void) | null;
}

/** Returns the name of a button. It differs between the months, units and sources of a page. */
function nameOf(words: string, { way, month }: Pick<WayOutProps, 'way' | 'month'>): string {
  const of = way.unit === undefined ? month : `${month}, ${way.unit}`;
  return `${words} (${of}): ${way.sentence}`;
}

/** The button of a way out. What it does stands in words on hover and focus. */
export const WayButton = ({
  of,
  words,
  onClick,
  ...props
}: ButtonProps & {
  of: Pick<WayOutProps, 'way' | 'month'>;
  /** What it does, in two or three words. */
  words: string;
  onClick: () => void;
}): ReactNode => (
  <Tooltip
    label={sentence(of.way.sentence)}
    multiline
    maw={320}
    events={{ hover: true, focus: true, touch: false }}
  >
    <Button size="compact-xs" variant="default" aria-label={nameOf(words, of)} onClick={onClick} {...props}>
      {words}
    </Button>
  </Tooltip>
);

/** The button of a way out that asks first, with its dialog. */
export function WayDialog({
  of,
  words,
  title,
  children,
}: {
  of: WayOutProps;
  words: string;
  title: string;
  children: (close: () => void) => ReactNode;
}): ReactNode {
  const [opened, { open, close }] = useDisclosure();
  return (
    <>
      <WayButton of={of} words={words} onClick={open} />
      <Dialog title={title} opened={opened} onClose={close}>
        {children(close)}
      </Dialog>
    </>
  );
}
