import { Progress, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Quantity } from '../shared/amounts.tsx';
import { Dimmed } from '../shared/dimmed.tsx';
import { Card } from '../shared/card.tsx';
import { Instant } from '../shared/instant.tsx';
import { Answer } from '../shared/states.tsx';
import { quotaQuery } from './organisation-query.ts';

/** How many calls programs have made today, and how many the plan allows. */
export function Quota(): ReactNode {
  const query = useQuery(quotaQuery);
  return (
    <Card title="API calls today">
      <Answer query={query} height={120}>
        {({ used, limit, remaining, resets_at }) => (
          <Stack gap="xs">
            <Text fz="h1" fw={600}>
              <Quantity value={used} />
            </Text>
            {limit === null ? (
              <Text size="sm">The plan has no limit.</Text>
            ) : (
              <>
                <Progress
                  value={(used / limit) * 100}
                  color={remaining === 0 ? 'red' : undefined}
                  aria-label="Part of today’s calls that is used"
                />
                <Text size="sm">
                  Of <Quantity value={limit} /> in the plan. <Quantity value={remaining} /> are left.
                </Text>
              </>
            )}
            <Dimmed>
              The count starts again at midnight UTC (<Instant at={resets_at} />
              ). All keys of the organisation count together. These pages do not count.
            </Dimmed>
          </Stack>
        )}
      </Answer>
    </Card>
  );
}
