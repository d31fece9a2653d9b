import '@mantine/dates/styles.css';
import { Group, Select } from '@mantine/core';
import { DatePickerInput } from '@mantine/dates';
import { getRouteApi } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { useSession } from '../../http/session.ts';
import { daysInclusive, type Day } from '../../shared/calendar.ts';
import { calendarOf } from '../../shared/forms/date-fields.ts';
import { MOST_DAYS, presetsOf, rangeOf, type CostRange } from './cost-range.ts';
import { GROUPS, type Group as CostGroup } from './costs-search.ts';

const route = getRouteApi('/signed-in/costs');

const OPTIONS = Object.entries(GROUPS).map(([value, label]) => ({ value, label }));

/** Which days the page shows, and how it groups them. */
export function CostsControls(): ReactNode {
  const { today } = useSession();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <Group align="flex-start" gap="sm">
      <RangeInput
        key={`${search.start ?? ''} ${search.end ?? ''}`}
        range={rangeOf(search, today)}
        today={today}
        onPick={({ start, end }) => {
          void navigate({ search: (before) => ({ ...before, start, end }) });
        }}
      />
      <Select
        label="By"
        w={{ base: '100%', xs: 170 }}
        data={OPTIONS}
        value={search.by}
        allowDeselect={false}
        searchable
        onChange={(value) => {
          void navigate({
            search: ({ then, ...before }) => ({
              ...before,
              by: value as CostGroup,
              then: then === value ? undefined : then,
              toggled: undefined,
              q: '',
            }),
          });
        }}
      />
      <Select
        label="Then by"
        w={{ base: '100%', xs: 170 }}
        data={OPTIONS.filter(({ value }) => value !== search.by)}
        value={search.then ?? null}
        placeholder="Nothing"
        searchable
        clearable
        clearButtonProps={{ 'aria-label': 'Clear the second grouping' }}
        onChange={(value) => {
          void navigate({
            search: (before) => ({ ...before, then: (value ?? undefined) as CostGroup, toggled: undefined }),
          });
        }}
      />
    </Group>
  );
}

type Picked = [Day | null, Day | null];

/** Two days of one field. A range counts once both are there, and only if the API can sum it. */
function RangeInput({
  range,
  today,
  onPick,
}: {
  range: CostRange;
  today: Day;
  onPick: (range: CostRange) => void;
}): ReactNode {
  const calendar = calendarOf('costs-days');
  const [picked, setPicked] = useState<Picked | null>(null);
  const [from, to] = picked ?? [range.start, range.end];
  const isTooLong = from !== null && to !== null && daysInclusive(from, to) > MOST_DAYS;
  return (
    <DatePickerInput
      type="range"
      label="Days"
      w={{ base: '100%', xs: 260 }}
      valueFormat="YYYY-MM-DD"
      labelSeparator="to"
      maxDate={today}
      allowSingleDateInRange
      presets={presetsOf(today)}
      value={[from, to]}
      error={isTooLong ? `Pick at most ${MOST_DAYS} days` : undefined}
      onChange={([start, end]) => {
        setPicked([start, end]);
        if (start !== null && end !== null && daysInclusive(start, end) <= MOST_DAYS) onPick({ start, end });
      }}
      {...calendar}
      hideOutsideDates
      weekendDays={[]}
      popoverProps={{
        ...calendar.popoverProps,
        onClose: () => {
          if (!isTooLong) setPicked(null);
        },
      }}
    />
  );
}
