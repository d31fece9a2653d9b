import '@mantine/charts/styles.css';
import { BarChart, LineChart } from '@mantine/charts';
import { SimpleGrid } from '@mantine/core';
import type { ReactNode } from 'react';
import { useSession } from '../http/session.ts';
import { ratioOf } from '../metrics/ratio-of.ts';
import type { ShownMetric } from '../metrics/metric-queries.ts';
import { ratioInWords } from '../metrics/metric-words.ts';
import { Card } from '../shared/card.tsx';
import {
  percentText,
  quantityText,
  moneyText,
  shortMoneyText,
  shortQuantityText,
  unitCostText,
} from '../shared/numbers.ts';
import { ValuesByLabel } from './values-by-label.tsx';

const HEIGHT = 220;

/** Unit cost over months with its target, and cost and value beneath. The table of months has the same numbers. */
export function MonthCharts({ metric }: { metric: ShownMetric }): ReactNode {
  const { organisation } = useSession();
  const { currency } = organisation;
  const isRevenue = metric.kind === 'revenue';
  const ratioName = isRevenue ? 'Cost share' : 'Unit cost';
  const valueName = isRevenue ? 'Revenue' : metric.unit;
  const months = metric.months
    .map((month) => ({ month: month.month, cost: month.cost, value: month.value, ratio: ratioOf(month) }))
    .toReversed();
  const ratioText = isRevenue ? percentText : (amount: number) => unitCostText(amount, currency);
  return (
    <>
      <Card title={ratioInWords(metric)}>
        <LineChart
          h={HEIGHT}
          data={months}
          dataKey="month"
          series={[{ name: 'ratio', label: ratioName, color: 'blue.6' }]}
          valueFormatter={ratioText}
          referenceLines={
            metric.target === null
              ? []
              : [
                  {
                    y: metric.target,
                    label: `Target ${ratioText(metric.target)}`,
                    color: 'red.7',
                    labelPosition: 'insideTopRight',
                    // The axis reaches a target above every month, too.
                    ifOverflow: 'extendDomain',
                  },
                ]
          }
          connectNulls={false}
          yAxisProps={{ width: 72 }}
          curveType="linear"
          lineChartProps={{ accessibilityLayer: true, title: `${ratioName} by month` }}
        />
      </Card>
      <SimpleGrid cols={{ base: 1, md: 2 }} my="md">
        <Card title="Cost">
          <BarChart
            h={HEIGHT}
            data={months}
            dataKey="month"
            series={[{ name: 'cost', label: 'Cost', color: 'blue.6' }]}
            valueFormatter={(amount) => moneyText(amount, currency)}
            yAxisProps={{ tickFormatter: (amount: number) => shortMoneyText(amount, currency), width: 64 }}
          />
        </Card>
        <Card title={isRevenue ? 'Revenue' : metric.name}>
          {metric.label_key !== null ? (
            <ValuesByLabel metric={metric} />
          ) : (
            <BarChart
              h={HEIGHT}
              data={months}
              dataKey="month"
              series={[{ name: 'value', label: valueName, color: 'teal.7' }]}
              valueFormatter={isRevenue ? (amount) => moneyText(amount, currency) : quantityText}
              yAxisProps={{
                tickFormatter: (amount: number) =>
                  isRevenue ? shortMoneyText(amount, currency) : shortQuantityText(amount),
                width: 64,
              }}
            />
          )}
        </Card>
      </SimpleGrid>
    </>
  );
}
