import { Alert, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useSession } from '../http/session.ts';
import type { ShownMetric } from '../metrics/metric-queries.ts';
import { Card } from '../shared/card.tsx';
import { Answer } from '../shared/states.tsx';
import { ConnectImport } from './connect-import.tsx';
import { ConnectedImport } from './connected-import.tsx';
import { useCurrentImport } from './use-current-import.ts';

/** The daily import of a metric: connect one, or see what it does. */
export function ImportTab({ metric }: { metric: ShownMetric }): ReactNode {
  const query = useCurrentImport(metric.id);
  const { has } = useSession();
  return (
    <Answer query={query}>
      {(connection) => {
        if (connection !== null) return <ConnectedImport metric={metric} connection={connection} />;
        return (
          <Card title="Connect a daily import">
            {metric.frequency === 'monthly' ? (
              <Text size="sm">Only daily metrics can be imported. This one has one value a month.</Text>
            ) : metric.kind === 'revenue' && !has('revenue') ? (
              <Alert>Importing revenue needs the Business plan or above.</Alert>
            ) : (
              <ConnectImport metric={metric} connection={null} />
            )}
          </Card>
        );
      }}
    </Answer>
  );
}
