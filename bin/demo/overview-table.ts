import { z } from 'zod';
import { glanceRecord } from '../../api/metrics/overview.ts';
import { alignedRows } from './aligned-rows.ts';
import { amountText, changeText } from './amount-text.ts';
import type { ApiClient } from './api-client.ts';
import { sparkline } from './sparkline.ts';

const HEADER = ['metric', 'latest', 'unit cost', 'change', 'spend change', 'twelve months', ''] as const;
const LEFT_ALIGNED = new Set([0, 1, 5, 6]);

/** Every metric at a glance, as `/overview` has it, as a table for people. */
export const overviewTable = async (admin: ApiClient): Promise<string[]> => {
  const glances = await admin.get('/api/v1/overview', z.array(glanceRecord));
  return [
    'At a glance (/overview): the newest month that has a unit cost, against the month before it or its same days',
    ...alignedRows(
      [
        HEADER,
        ...glances.map((glance) => [
          glance.metric.name,
          glance.latest?.month ?? '-',
          amountText(glance.latest?.unit_cost ?? null, 4),
          changeText(glance.unit_cost_change_percent),
          changeText(glance.spend_change_percent),
          sparkline(glance.sparkline),
          [
            ...(glance.change_basis === 'same_days' ? ['same days'] : []),
            ...(glance.opposite_directions ? ['opposite directions'] : []),
            ...(glance.above_target ? ['above target'] : []),
          ].join(', '),
        ]),
      ],
      LEFT_ALIGNED,
    ),
  ];
};
