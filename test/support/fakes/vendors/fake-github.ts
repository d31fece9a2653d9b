import type { Day } from '../../../../domain/shared/calendar.ts';
import { startVendor, type VendorServer } from './vendor-server.ts';

/** What GitHub bills on a day: of a report, for a product, with what the plan includes taken off. */
export interface GitHubItem {
  day: Day;
  report?: 'ai_credit' | 'premium_request';
  product?: string;
  gross: number;
  net: number;
}

/** The token that the stand-in knows, and one without the right. */
export const GITHUB_TOKEN = 'github_pat_11ABCDEFG0123456789';
export const WEAK_GITHUB_TOKEN = 'github_pat_11WEAK00000000000';

const PATH = /^\/(organizations|enterprises)\/acme\/settings\/billing\/(ai_credit|premium_request)\/usage$/;

const message = (status: number, text: string) => ({
  status,
  body: { message: text, documentation_url: 'https://docs.github.com/rest', status: String(status) },
});

/**
 * Starts a stand-in for the billing reports of GitHub for the organisation or enterprise `acme`. A report covers a year, a month or
 * a day. Its items have no day.
 */
export const startFakeGitHub = (items: readonly GitHubItem[]): Promise<VendorServer> =>
  startVendor(({ path, query, headers }) => {
    if (headers['user-agent'] === undefined)
      return message(403, 'Request forbidden by administrative rules.');
    const token = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1];
    if (token === WEAK_GITHUB_TOKEN) return message(403, 'Resource not accessible by personal access token');
    if (token !== GITHUB_TOKEN) return message(401, 'Bad credentials');
    const [, of, report] = PATH.exec(path) ?? [];
    if (of === undefined) return message(404, 'Not Found');
    const period = ['year', 'month', 'day'].flatMap((part) => query.get(part) ?? []);
    const prefix = period.map((part) => part.padStart(2, '0')).join('-');
    const found = items.filter(
      ({ day, report: own = 'ai_credit' }) => own === report && `${day}-`.startsWith(`${prefix}-`),
    );
    const [year, month, day] = period.map(Number);
    return {
      body: {
        timePeriod: { year, month, day },
        [of === 'organizations' ? 'organization' : 'enterprise']: 'acme',
        usageItems: found.map(({ product = 'Copilot', gross, net }) => ({
          product,
          sku: 'Copilot AI Credits',
          model: 'Claude Sonnet 5',
          unitType: 'credits',
          pricePerUnit: 0.01,
          grossQuantity: gross * 100,
          grossAmount: gross,
          discountQuantity: (gross - net) * 100,
          discountAmount: gross - net,
          netQuantity: net * 100,
          netAmount: net,
        })),
      },
    };
  });
