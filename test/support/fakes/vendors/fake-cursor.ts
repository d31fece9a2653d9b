import { startVendor, type VendorServer } from './vendor-server.ts';

/** An event of a team in Cursor. What the plan includes is not chargeable. */
export interface CursorEvent {
  at: string;
  cents: number;
  isIncluded?: true;
}

export const CURSOR_KEY = 'key_0123456789abcdef0123456789abcdef';

const MOST_DAYS = 30;
const DAY_MS = 86_400_000;

/** Starts a stand-in for the Admin API of Cursor. `pageSize` limits its pages, whatever is asked. */
export const startFakeCursor = (events: readonly CursorEvent[], pageSize = 2): Promise<VendorServer> =>
  startVendor(({ method, path, headers, body }) => {
    if (headers.authorization !== `Basic ${Buffer.from(`${CURSOR_KEY}:`).toString('base64')}`)
      return { status: 401, body: { error: 'Invalid API key' } };
    if (method !== 'POST' || path !== '/teams/filtered-usage-events')
      return { status: 404, body: { error: 'Not found' } };
    const { startDate, endDate, page } = body as { startDate: number; endDate: number; page: number };
    if (endDate - startDate > MOST_DAYS * DAY_MS)
      return { status: 400, body: { error: 'Date range cannot exceed 30 days' } };
    const found = events.filter(({ at }) => Date.parse(at) >= startDate && Date.parse(at) <= endDate);
    const numPages = Math.max(1, Math.ceil(found.length / pageSize));
    return {
      body: {
        totalUsageEventsCount: found.length,
        pagination: {
          numPages,
          currentPage: page,
          pageSize,
          hasNextPage: page < numPages,
          hasPreviousPage: page > 1,
        },
        usageEvents: found
          .slice((page - 1) * pageSize, page * pageSize)
          .map(({ at, cents, isIncluded = false }) => ({
            timestamp: String(Date.parse(at)),
            userEmail: 'developer@acme.example',
            model: 'claude-sonnet-5',
            kind: isIncluded ? 'Included in Business' : 'Usage-based',
            maxMode: false,
            requestsCosts: 1,
            isTokenBasedCall: !isIncluded,
            isChargeable: !isIncluded,
            isHeadless: false,
            chargedCents: cents,
          })),
        period: { startDate, endDate },
      },
    };
  });
