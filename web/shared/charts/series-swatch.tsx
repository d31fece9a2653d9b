import { ColorSwatch, getThemeColor, useMantineTheme } from '@mantine/core';
import type { ReactNode } from 'react';

/** The colour of a series beside its name. */
export const SeriesSwatch = ({ color }: { color: string }): ReactNode => (
  <ColorSwatch
    component="span"
    color={getThemeColor(color, useMantineTheme())}
    size={12}
    radius={2}
    withShadow={false}
    aria-hidden
  />
);
