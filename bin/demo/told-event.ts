import { z } from 'zod';

/** The payload of `unit_cost.changed` (contract §3, Webhook). */
export const toldEvent = z.object({
  type: z.literal('unit_cost.changed'),
  data: z.object({
    metric_id: z.string(),
    metric_name: z.string(),
    reason: z.enum(['above_target', 'daily_rise']),
    period: z.string(),
    unit_cost: z.number(),
    target: z.number().optional(),
    expected: z.number().optional(),
    currency: z.string(),
    unit: z.string(),
  }),
});

export type ToldEvent = z.infer<typeof toldEvent>;

/** An event in one line. */
export const eventInWords = ({ type, data }: ToldEvent): string => {
  const { metric_name, reason, period, unit_cost, target, expected, currency, unit } = data;
  const against = target === undefined ? `expected ${expected ?? '-'}` : `target ${target}`;
  return `${type} ${reason}: ${metric_name} ${period}, ${unit_cost} ${currency} per ${unit}, ${against}`;
};
