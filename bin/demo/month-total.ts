import { z } from 'zod';
import { firstDay, lastDay, type Day, type Month } from '../../domain/shared/calendar.ts';
import type { ApiClient } from './api-client.ts';

/** What the organisation spent in a month, through the day `today`, as `/costs` says now. */
export const monthTotal = async (admin: ApiClient, month: Month, today?: Day): Promise<number> => {
  const end = today !== undefined && today < lastDay(month) ? today : lastDay(month);
  const path = `/api/v1/costs?start_date=${firstDay(month)}&end_date=${end}`;
  return (await admin.get(path, z.object({ total: z.number() }))).total;
};
