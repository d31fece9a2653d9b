import { List, ThemeIcon } from '@mantine/core';
import { IconCheck, IconMinus } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { DAILY_CALLS, planMessage, type Feature } from '../../domain/organisations/tiers.ts';
import { Card } from '../shared/card.tsx';
import { Dimmed } from '../shared/dimmed.tsx';
import { quantityText } from '../shared/numbers.ts';
import { useSession } from '../http/session.ts';

const FEATURES: readonly { words: string; needs: Feature | null }[] = [
  { words: 'Costs, cost sources, keys, webhooks and the audit log', needs: null },
  { words: 'Metrics, teams, shared costs, bills and the overview', needs: 'unit_economics' },
  { words: 'Creating and changing revenue metrics, and their imports', needs: 'revenue' },
];

/** The organisation's plan: what it includes, and what would need another. */
export function Plan(): ReactNode {
  const {
    organisation: { tier },
    has,
  } = useSession();
  const calls = DAILY_CALLS[tier];
  return (
    <Card title={`Plan: ${tier.charAt(0).toUpperCase()}${tier.slice(1)}`}>
      <List spacing="xs" size="sm">
        {FEATURES.map(({ words, needs }) => {
          const isIncluded = needs === null || has(needs);
          return (
            <List.Item key={words} icon={<Mark isIncluded={isIncluded} />}>
              {words}
              {needs !== null && !isIncluded && <Dimmed>Not included. {planMessage(tier, needs)}.</Dimmed>}
            </List.Item>
          );
        })}
        <List.Item icon={<Mark isIncluded />}>
          {calls === null ? 'API calls without a limit' : `${quantityText(calls)} API calls a day`}
        </List.Item>
      </List>
      <Dimmed mt="sm">Whoever runs the service can change the plan. The currency stays.</Dimmed>
    </Card>
  );
}

function Mark({ isIncluded }: { isIncluded: boolean }): ReactNode {
  const Shape = isIncluded ? IconCheck : IconMinus;
  return (
    <ThemeIcon variant="light" size="sm" color={isIncluded ? 'green' : 'gray'}>
      <Shape size={14} aria-hidden />
    </ThemeIcon>
  );
}
