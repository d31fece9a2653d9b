import { queryOptions, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, dataOf } from '../http/api.ts';
import type { ShownMetric } from '../metrics/metric-queries.ts';
import { MOST_SERIES, REST_COLOR, seriesColor } from '../shared/charts/series-colors.ts';
import { StackedBars } from '../shared/charts/stacked-bars.tsx';
import { quantityText, shortQuantityText } from '../shared/numbers.ts';
import { Answer } from '../shared/states.tsx';

const HEIGHT = 184;
/** The name of what the largest labels leave, which no label can have. */
const REST = '';

/** The months of a metric with its largest labels, and one part for the rest. */
const labelsQuery = (id: string) =>
  queryOptions({
    queryKey: ['metrics', id, 'labels'],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/api/v1/metrics/{id}/months', {
          params: { path: { id }, query: { by: 'label', top: MOST_SERIES } },
          signal,
        }),
      ),
  });

/** The values of a metric by month as a stack of its largest labels. */
export function ValuesByLabel({ metric }: { metric: ShownMetric }): ReactNode {
  const query = useQuery(labelsQuery(metric.id));
  return (
    <Answer query={query} height={HEIGHT}>
      {(months) => {
        const data = months
          .map((month) => ({
            period: month.month,
            values: Object.fromEntries(
              ('labels' in month ? (month.labels ?? []) : []).map(({ label, value }) => [
                label ?? REST,
                value,
              ]),
            ),
          }))
          .toReversed();
        const names = [...new Set(data.flatMap(({ values }) => Object.keys(values)))];
        const series = names.map((name, index) => ({
          name,
          label: name === REST ? 'All others' : name,
          color: name === REST ? REST_COLOR : seriesColor(index),
        }));
        return (
          <StackedBars
            data={data}
            series={series}
            height={HEIGHT}
            label={`${metric.name} by ${metric.label_key ?? 'label'} and month`}
            valueFormatter={quantityText}
            axisFormatter={shortQuantityText}
          />
        );
      }}
    </Answer>
  );
}
