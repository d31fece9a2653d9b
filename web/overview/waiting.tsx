import { Group, List, ScrollArea, ThemeIcon } from '@mantine/core';
import {
  IconAlertTriangle,
  IconClockPause,
  IconHelpTriangle,
  IconLock,
  IconLockExclamation,
  IconReceipt,
  IconTag,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Fragment, useDeferredValue, type ReactNode } from 'react';
import type { Schema } from '../http/api.ts';
import { PageLink } from '../shared/page-link.tsx';
import { Dimmed } from '../shared/dimmed.tsx';
import { Card } from '../shared/card.tsx';
import { Answer, Empty } from '../shared/states.tsx';
import { instantText } from '../shared/instant.tsx';
import { waitingQuery } from './overview-query.ts';

type Item = Schema<'Waiting'>;

const LEAST_HEIGHT = 224;
/** So many links fill the list's height, also if each has a line of its own. */
const FIRST_LINKS = 20;

const ICONS: Record<Item['kind'], { icon: typeof IconLock; color: string }> = {
  run_failed: { icon: IconAlertTriangle, color: 'red' },
  import_failed: { icon: IconAlertTriangle, color: 'red' },
  import_paused: { icon: IconClockPause, color: 'gray' },
  held_back: { icon: IconHelpTriangle, color: 'orange' },
  changed_since_lock: { icon: IconLockExclamation, color: 'orange' },
  ready_to_lock: { icon: IconLock, color: 'blue' },
  bill_waiting: { icon: IconReceipt, color: 'gray' },
  collection_begun: { icon: IconTag, color: 'gray' },
};

/** What waits for someone, each with a link to where it can be done. */
export function Waiting(): ReactNode {
  const query = useQuery(waitingQuery);
  return (
    <Card title="Waiting for someone" minHeight={296} isColumn>
      <Answer query={query} height={LEAST_HEIGHT}>
        {(items) =>
          items.length === 0 ? (
            <Empty>Nothing waits. Every run succeeded, and every month that can be locked is locked.</Empty>
          ) : (
            <ScrollArea
              flex="1 1 0"
              mih={LEAST_HEIGHT}
              type="auto"
              viewportProps={{ tabIndex: 0, 'aria-label': 'Waiting for someone' }}
            >
              <Items items={items} />
            </ScrollArea>
          )
        }
      </Answer>
    </Card>
  );
}

function Items({ items }: { items: readonly Item[] }): ReactNode {
  const drawn = useDeferredValue(items, firstOf(items));
  return (
    <List spacing="xs" size="sm" listStyleType="none">
      {drawn.map((item) => (
        <List.Item key={keyOf(item)}>
          <Group gap="xs" wrap="nowrap" align="flex-start">
            <Icon kind={item.kind} />
            <div>
              <Words item={item} />
            </div>
          </Group>
        </List.Item>
      ))}
    </List>
  );
}

/** Returns the items that are drawn at once. They fill the list's height. The others follow, because links take long to draw. */
function firstOf(items: readonly Item[]): readonly Item[] {
  let links = 0;
  const last = items.findIndex((item) => {
    links += 'metrics' in item ? item.metrics.length : 1;
    return links >= FIRST_LINKS;
  });
  return last === -1 ? items : items.slice(0, last + 1);
}

/** Stays the same while the details of an item change. */
const keyOf = (item: Item): string =>
  [
    item.kind,
    'metric' in item
      ? item.metric.id
      : 'team' in item
        ? item.team.id
        : 'source' in item
          ? item.source.id
          : 'month' in item
            ? item.month
            : item.words,
  ].join(' ');

function Icon({ kind }: { kind: Item['kind'] }): ReactNode {
  const { icon: Shape, color } = ICONS[kind];
  return (
    <ThemeIcon variant="light" color={color} size="sm" mt={1}>
      <Shape size={14} aria-hidden />
    </ThemeIcon>
  );
}

const ToMetric = ({ metric }: { metric: { id: string; name: string } }): ReactNode => (
  <PageLink underline="always" to="/business-metrics/$id" params={{ id: metric.id }}>
    {metric.name}
  </PageLink>
);

/** A month never breaks at its hyphen. */
const Months = ({ months }: { months: readonly string[] }): ReactNode =>
  months.map((month, index) => (
    <Fragment key={month}>
      {index > 0 && ', '}
      <span className="unbroken">{month}</span>
    </Fragment>
  ));

function Words({ item }: { item: Item }): ReactNode {
  switch (item.kind) {
    case 'run_failed':
      return (
        <>
          The last run of{' '}
          <PageLink underline="always" to="/sources/$id" params={{ id: item.source.id }}>
            {item.source.name}
          </PageLink>{' '}
          failed on {instantText(item.at)}.
          {item.error !== null && (
            <Dimmed size="xs" lineClamp={2}>
              {item.error}
            </Dimmed>
          )}
        </>
      );
    case 'import_failed':
      return (
        <>
          The import of <ToMetric metric={item.metric} /> failed on {instantText(item.at)}.
        </>
      );
    case 'import_paused':
      return (
        <>
          The import of <ToMetric metric={item.metric} /> is paused, because the plan does not include it.
        </>
      );
    case 'held_back':
      return (
        <>
          <Months months={[item.month]} /> is held back
          {item.metrics.map((metric, index) => (
            <Fragment key={metric.id}>
              {index === 0 ? ' for ' : ', '}
              <ToMetric metric={metric} />
            </Fragment>
          ))}
          .
          <Dimmed size="xs" lineClamp={3}>
            {item.missing.map(({ sentence }) => sentence).join('. ')}
          </Dimmed>
        </>
      );
    case 'changed_since_lock':
      return (
        <>
          <ToMetric metric={item.metric} /> has changed since its lock: <Months months={item.months} />.
        </>
      );
    case 'ready_to_lock':
      return (
        <>
          <ToMetric metric={item.metric} /> is ready to lock: <Months months={item.months} />.
        </>
      );
    case 'bill_waiting':
      return (
        <>
          The bill of{' '}
          <PageLink underline="always" to="/teams/$id" params={{ id: item.team.id }}>
            {item.team.name}
          </PageLink>{' '}
          waits: <Months months={item.months} />.<Dimmed size="xs">{item.waiting_for.join('. ')}</Dimmed>
        </>
      );
    case 'collection_begun':
      return <>{item.message}.</>;
  }
}
