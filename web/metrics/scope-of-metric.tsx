import { Anchor, List, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { ShownMetric } from './metric-queries.ts';

/** Whose cost a metric counts: all spend, a team's bill, or chosen picks. */
export const ScopeOfMetric = ({
  metric: { scope },
}: {
  metric: ShownMetric;
  mayChange: boolean;
}): ReactNode => {
  switch (scope.type) {
    case 'organisation':
      return <Text size="sm">All spend of the organisation.</Text>;
    case 'team':
      return (
        <Text size="sm">
          The bill of a{' '}
          <Anchor
            inherit
            renderRoot={(props) => <Link to="/teams/$id" params={{ id: scope.team_id }} {...props} />}
          >
            team
          </Anchor>
          .
        </Text>
      );
    case 'spend':
      return (
        <List size="sm">
          {scope.spend.map((pick) => (
            <List.Item key={JSON.stringify(pick)}>{JSON.stringify(pick)}</List.Item>
          ))}
        </List>
      );
  }
};
