import { Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Schema } from '../../http/api.ts';
import { Change, Money } from '../../shared/amounts.tsx';
import { Dimmed } from '../../shared/dimmed.tsx';
import { daysInclusive } from '../../shared/calendar.ts';
import { Card } from '../../shared/card.tsx';
import { Answer } from '../../shared/states.tsx';
import type { CostRange } from './cost-range.ts';
import { costsQuery } from './costs-queries.ts';

/** What a range of days cost, against as many days before, and how far sources have delivered. */
export function CostsSummary({ range }: { range: CostRange }): ReactNode {
  const query = useQuery(costsQuery(range));
  return (
    <Card title="Total" minHeight={132}>
      <Answer query={query} height={64}>
        {(costs) => <Summary costs={costs} />}
      </Answer>
    </Card>
  );
}

function Summary({ costs }: { costs: Schema<'Costs'> }): ReactNode {
  const { total, previous_period: before, start_date: start, end_date: end } = costs;
  const days = daysInclusive(start, end);
  const period = days === 1 ? 'the day before' : `the ${days} days before`;
  return (
    <>
      <Group align="baseline" gap="sm" mih={36}>
        <Text fz="h1" fw={600}>
          <Money value={total} />
        </Text>
        <Text size="sm">
          {before.total === null ? (
            `No source has delivered ${period}, so there is nothing to compare with.`
          ) : (
            <>
              <Change value={before.change_percent} reason={`nothing was spent in ${period}`} /> against{' '}
              {period} (<Money value={before.total} />)
            </>
          )}
        </Text>
      </Group>
      <Dimmed>{deliveredText(costs)}</Dimmed>
    </>
  );
}

function deliveredText({
  start_date: start,
  end_date: end,
  complete_through: through,
}: Schema<'Costs'>): string {
  if (through === null) return `Not every source has delivered ${start} yet, so amounts may still change.`;
  return through >= end
    ? 'Every source has delivered all of these days.'
    : `Every source has delivered all days through ${through}. Later days may still change.`;
}
