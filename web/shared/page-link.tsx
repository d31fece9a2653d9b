import { Anchor, type AnchorProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { ComponentProps, ReactNode } from 'react';

/** A link to a page, in the size of the text around it. */
export const PageLink = createLink((props: AnchorProps & ComponentProps<'a'>): ReactNode => (
  <Anchor inherit {...props} />
));
