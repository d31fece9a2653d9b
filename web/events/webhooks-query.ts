import { infiniteQueryOptions } from '@tanstack/react-query';
import { api, bodyOf, type Schema } from '../http/api.ts';
import { listQuery } from '../http/list-query.ts';
import { nextAttemptAt } from './next-attempt.ts';

export type Webhook = Schema<'Webhook'>;
export type Delivery = Schema<'Delivery'>;

const SOONEST_MS = 2_000;
const LATEST_MS = 60_000;
const PAGE = 25;

/** The organisation's webhooks in pages, oldest first. */
export const webhooksQuery = {
  ...listQuery(['webhooks'], (query, signal) =>
    bodyOf(api.GET('/api/v1/webhooks', { params: { query }, signal })),
  ),
  // An endpoint can disable its webhook at any time.
  refetchInterval: LATEST_MS,
};

const pageOfDeliveries = (id: string) =>
  listQuery(['deliveries', id], (at, signal) =>
    bodyOf(
      api.GET('/api/v1/webhooks/{id}/deliveries', {
        params: { path: { id }, query: { limit: PAGE, ...at } },
        signal,
      }),
    ),
  );

/** The deliveries of a webhook in pages, newest first. While one is pending, it asks again about when the next attempt is due. */
export const deliveriesQuery = (id: string) =>
  infiniteQueryOptions({
    ...pageOfDeliveries(id),
    refetchInterval: ({ state: { data } }) => {
      const pending = (data?.pages ?? []).flatMap((page) =>
        page.data.filter(({ status }) => status === 'pending'),
      );
      if (pending.length === 0) return false;
      const soonest = Math.min(...pending.map((delivery) => nextAttemptAt(delivery).getTime()));
      return Math.min(LATEST_MS, Math.max(SOONEST_MS, soonest - Date.now()));
    },
  });
