import { SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo, type ReactNode } from 'react';
import { useSession } from '../../../http/session.ts';
import { Card } from '../../../shared/card.tsx';
import { OTHER } from '../../../shared/charts/largest-series.ts';
import { StackedBars } from '../../../shared/charts/stacked-bars.tsx';
import type { StackedPick, StackedSeries } from '../../../shared/charts/stacked-series.ts';
import { moneyText, shortMoneyText } from '../../../shared/numbers.ts';
import { Answer } from '../../../shared/states.tsx';
import type { CostPart } from '../lines/cost-lines.ts';
import { narrowedTo, type CostRange, type Step } from '../cost-range.ts';
import { costsOfPeriods } from './cost-series.ts';
import { breakdownQuery, type CostKeys, type CostRow } from '../costs-queries.ts';
import { GROUPS, type Group } from '../costs-search.ts';
import { DownloadMenu } from '../download-menu.tsx';
import { PeriodsTable } from './periods-table.tsx';
import { showPart } from '../lines/part-id.ts';
import { useOpenParts } from '../lines/use-open-parts.ts';

const route = getRouteApi('/signed-in/costs');

const CHART_HEIGHT = 320;

/** Spend by day or month, stacked by the first grouping, as bars or as a table of the same numbers. */
export function CostsOverTime({
  range,
  parts,
  series,
  total,
}: {
  range: CostRange;
  parts: readonly CostPart[];
  series: readonly StackedSeries[];
  total: number;
}): ReactNode {
  const { by, step } = route.useSearch();
  const { drillDown } = useOpenParts();
  const keys: CostKeys = [step, by];
  const query = useQuery(breakdownQuery(range, keys));
  const onPick = ({ period, series: picked }: StackedPick): void => {
    const open = picked === null || picked === OTHER ? undefined : picked;
    drillDown({ open, range: period === null ? undefined : narrowedTo(period, range) });
    const first = picked === OTHER ? parts.at(series.length - 1)?.key.id : open;
    if (period === null && first !== undefined) showPart(first);
  };
  return (
    <Card
      title={`By ${step}`}
      minHeight={CHART_HEIGHT + 100}
      actions={
        <>
          <SearchChoice of="step" label="Step" choices={{ day: 'Day', month: 'Month' }} />
          <SearchChoice of="view" label="Show as" choices={{ chart: 'Chart', table: 'Table' }} />
          <DownloadMenu range={range} keys={keys} what={labelOf(step, by)} />
        </>
      }
    >
      <Answer query={query} height={CHART_HEIGHT + 36}>
        {({ rows }) => <Periods rows={rows} range={range} series={series} total={total} onPick={onPick} />}
      </Answer>
    </Card>
  );
}

const labelOf = (step: Step, by: Group): string => `spend by ${step} and ${GROUPS[by].toLowerCase()}`;

function Periods({
  rows,
  range: { start, end },
  series,
  total,
  onPick,
}: {
  rows: readonly CostRow[];
  range: CostRange;
  series: readonly StackedSeries[];
  total: number;
  onPick: (pick: StackedPick) => void;
}): ReactNode {
  const { by, step, view } = route.useSearch();
  const { organisation } = useSession();
  const data = useMemo(
    () => costsOfPeriods(rows, series, { range: { start, end }, step, by }),
    [rows, series, start, end, step, by],
  );
  const shown = { data, series, label: labelOf(step, by) };
  return view === 'chart' ? (
    <StackedBars
      {...shown}
      height={CHART_HEIGHT}
      valueFormatter={(value) => moneyText(value, organisation.currency)}
      axisFormatter={(value) => shortMoneyText(value, organisation.currency)}
      onPick={onPick}
    />
  ) : (
    <PeriodsTable
      {...shown}
      total={total}
      onPick={(period) => {
        onPick({ period, series: null });
      }}
    />
  );
}

/** Chooses one value of the page's address. */
function SearchChoice({ of, label, choices }: SearchChoiceProps): ReactNode {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <SegmentedControl
      aria-label={label}
      size="xs"
      data={Object.entries(choices).map(([value, name]) => ({ value, label: name }))}
      value={search[of]}
      onChange={(value) => {
        void navigate({ search: (before) => ({ ...before, [of]: value }), resetScroll: false });
      }}
    />
  );
}

interface SearchChoiceProps {
  of: 'step' | 'view';
  label: string;
  choices: Readonly<Record<string, string>>;
}
