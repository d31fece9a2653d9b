import { addDays, type Day } from '../../../../domain/shared/calendar.ts';
import { startVendor, type VendorServer } from './vendor-server.ts';

/** What Anthropic bills on a day, in cents as a decimal text. The default workspace has no id. */
export interface AnthropicCost {
  day: Day;
  cents: string;
  workspace?: string;
  currency?: string;
}

/** What Claude Code analytics estimate for a user and day, in cents. */
export interface AnthropicUser {
  day: Day;
  email: string;
  cents: number;
}

export const ADMIN_KEY = 'sk-ant-admin01-0123456789abcdef';
/** A key for the models, which may not see reports. */
export const MODEL_KEY = 'sk-ant-api03-0123456789abcdef';

const failure = (status: number, type: string, message: string) => ({
  status,
  body: { type: 'error', error: { type, message } },
});

/** Starts a stand-in for the Admin API of Anthropic. Its pages have few days, whatever is asked. */
export const startFakeAnthropic = (
  costs: readonly AnthropicCost[],
  users: readonly AnthropicUser[] = [],
  daysOfPage = 10,
): Promise<VendorServer> =>
  startVendor(({ path, query, headers }) => {
    if (headers['x-api-key'] === MODEL_KEY)
      return failure(403, 'permission_error', 'Your API key does not have permission to use the Admin API');
    if (headers['x-api-key'] !== ADMIN_KEY) return failure(401, 'authentication_error', 'invalid x-api-key');
    if (headers['anthropic-version'] === undefined)
      return failure(400, 'invalid_request_error', 'anthropic-version: header is required');
    const from = (query.get('starting_at') ?? '').slice(0, 10);
    if (path === '/v1/organizations/usage_report/claude_code')
      return {
        body: {
          data: users
            .filter(({ day }) => day === from)
            .map(({ day, email, cents }) => ({
              date: `${day}T00:00:00Z`,
              actor: { type: 'user_actor', email_address: email },
              core_metrics: { num_sessions: 1 },
              model_breakdown: [
                { model: 'claude-sonnet-5', estimated_cost: { currency: 'USD', amount: cents } },
              ],
            })),
          has_more: false,
          next_page: null,
        },
      };
    if (path !== '/v1/organizations/cost_report') return failure(404, 'not_found_error', 'Not found');
    const start = query.get('page')?.replace('page_', '') ?? from;
    const end = (query.get('ending_at') ?? '').slice(0, 10);
    const data = [];
    let day = start;
    for (; day < end && data.length < daysOfPage; day = addDays(day, 1))
      data.push({
        starting_at: `${day}T00:00:00Z`,
        ending_at: `${addDays(day, 1)}T00:00:00Z`,
        results: costs
          .filter((cost) => cost.day === day)
          .map(({ cents, workspace = null, currency = 'USD' }) => ({
            currency,
            amount: cents,
            workspace_id: workspace,
            description: null,
            cost_type: null,
          })),
      });
    const hasMore = day < end;
    return { body: { data, has_more: hasMore, next_page: hasMore ? `page_${day}` : null } };
  });
