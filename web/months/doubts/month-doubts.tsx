import { Group, List, Stack, Text, VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Access } from '../../../domain/organisations/permissions.ts';
import type { Schema } from '../../http/api.ts';
import { useSession } from '../../http/session.ts';
import type { ShownMetric } from '../../metrics/metric-queries.ts';
import { Money } from '../../shared/amounts.tsx';
import { sentence } from '../../shared/sentences.tsx';
import type { Month } from '../month-numbers.ts';
import { OnBillAlways, OnBillNever, Stands } from './decisions.tsx';
import type { WayOut, WayOutProps } from './way-button.tsx';
import {
  Accept,
  ConnectImport,
  EndOfUnit,
  OpenSource,
  OpenValues,
  RunImport,
  RunSource,
} from './ways-out.tsx';

interface Way {
  /** Who may take it. */
  access: Access;
  Button: (props: WayOutProps) => ReactNode;
}

/** The button of each way out. */
const BUTTONS: Record<WayOut['action'], Way> = {
  run_source: { access: 'write', Button: RunSource },
  open_source: { access: 'read', Button: OpenSource },
  run_import: { access: 'admin', Button: RunImport },
  connect_import: { access: 'admin', Button: ConnectImport },
  record_values: { access: 'read', Button: OpenValues },
  end_unit: { access: 'admin', Button: EndOfUnit },
  stands: { access: 'admin', Button: Stands },
  on_bill_always: { access: 'admin', Button: OnBillAlways },
  on_bill_never: { access: 'admin', Button: OnBillNever },
  accept: { access: 'admin', Button: Accept },
};

/** Each doubt that holds a month back, with its amount and a button for each way out that the key may take. */
export const MonthDoubts = ({
  metric,
  month,
  accept,
}: {
  metric: ShownMetric;
  month: Month;
  accept: WayOutProps['accept'];
}): ReactNode => (
  <List size="xs" w="100%" maw={480} spacing={6} aria-label={`Doubts about ${month.month}`}>
    {month.missing.map((doubt) => (
      <List.Item key={doubt.sentence}>
        <Stack gap={4}>
          <Group gap="md" justify="space-between" align="flex-start" wrap="nowrap">
            <Text size="xs" style={{ overflowWrap: 'anywhere' }}>
              {sentence(doubt.sentence)}
            </Text>
            <AmountInDoubt doubt={doubt} />
          </Group>
          <WaysOut doubt={doubt} metric={metric} month={month.month} accept={accept} />
        </Stack>
      </List.Item>
    ))}
  </List>
);

/** How much money is in doubt, if that is known. */
const AmountInDoubt = ({ doubt: { amount } }: { doubt: Schema<'Doubt'> }): ReactNode =>
  amount !== null && (
    <Text size="xs" fw={600} className="unbroken">
      <VisuallyHidden>Amount: </VisuallyHidden>
      <Money value={amount} />
    </Text>
  );

function WaysOut(props: Omit<WayOutProps, 'way'>): ReactNode {
  const { may } = useSession();
  return (
    <Group gap={6}>
      {props.doubt.ways_out
        .filter(({ action }) => may(BUTTONS[action].access))
        .map((way) => {
          const { Button } = BUTTONS[way.action];
          return <Button key={`${way.action} ${way.source_id ?? ''}`} way={way} {...props} />;
        })}
    </Group>
  );
}
