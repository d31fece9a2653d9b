import { Group, Skeleton, Text, UnstyledButton } from '@mantine/core';
import { lazy, Suspense, type ReactNode } from 'react';
import { SeriesSwatch } from './series-swatch.tsx';
import type { StackedBarsProps } from './stacked-series.ts';

const Chart = lazy(() => import('./stacked-bars-chart.tsx'));

/**
 * Stacked bars over days or months with a legend. The chart library comes in a part of its own, and the room is kept until
 * then. Whoever shows it also shows the same numbers as a table.
 */
export const StackedBars = (props: StackedBarsProps): ReactNode => (
  <>
    <Suspense fallback={<Skeleton height={props.height} />}>
      <Chart {...props} />
    </Suspense>
    <Legend {...props} />
  </>
);

const Legend = ({
  series,
  label,
  onPick,
}: Pick<StackedBarsProps, 'series' | 'label' | 'onPick'>): ReactNode => (
  <Group
    component="ul"
    gap="md"
    mt="sm"
    mb={0}
    p={0}
    aria-label={`Legend: ${label}`}
    style={{ rowGap: 4, listStyle: 'none' }}
  >
    {series.map(({ name, label: text, color }) => (
      <li key={name}>
        {onPick === undefined ? (
          <Entry text={text} color={color} />
        ) : (
          <UnstyledButton
            mih={24}
            onClick={() => {
              onPick({ period: null, series: name });
            }}
          >
            <Entry text={text} color={color} />
          </UnstyledButton>
        )}
      </li>
    ))}
  </Group>
);

const Entry = ({ text, color }: { text: string; color: string }): ReactNode => (
  <Group component="span" gap={6} wrap="nowrap" display="inline-flex">
    <SeriesSwatch color={color} />
    <Text span size="sm">
      {text}
    </Text>
  </Group>
);
