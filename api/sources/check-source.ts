import { z } from 'zod';
import { FairLimiter } from '../../domain/shared/fair-limiter.ts';
import { callerOf } from '../access/authentication.ts';
import type { ApiDependencies } from '../http/dependencies.ts';
import { closeSignal } from '../http/files/tabular.ts';
import { success, successOf } from '../routes/bodies.ts';
import { route, tagged, type Asked, type Replying } from '../routes/route.ts';
import { newCostSource } from './cost-source-fields.ts';
import { checkCurrency } from './cost-sources.ts';
import { sentCredentials } from './source-credentials.ts';

/** What checks of sources take beside the rest. */
interface CheckingDependencies extends ApiDependencies {
  checks: FairLimiter;
}

/** A check has a reader and memory of its own, so that this process runs few at once. Others wait. */
export const newCheckPlaces = (): FairLimiter => new FairLimiter({ total: 2, each: 1, mostWaiting: 4 });

const machines = { nodes: z.number(), on_bill: z.number() };

const months = z.array(z.string()).describe('The months with charges; empty if not all files were read');
const day = (which: string) =>
  z.string().nullable().describe(`The ${which} day with charges; null if not all files were read`);

const found = z.object({
  files: z.number().nullable().describe('Files with data; null for an API'),
  files_not_read: z.number().nullable().describe('Those that the check had no time to read'),
  bytes: z.number().nullable(),
  format: z
    .string()
    .nullable()
    .describe('`csv`, `csv.gz`, `parquet` or several of them, `api` or `bigquery`'),
  months,
  first_day: day('first'),
  last_day: day('last'),
  currency: z.string().nullable().describe('The currency of a bill; null if it has several'),
  accounts: z.array(z.string()).describe('The accounts of a bill'),
  units: z.array(z.string()).describe('Accounts as `aws/1111`, clusters, hosts or tools'),
  rows_estimate: z.number().nullable(),
  unchanged_by_run: z
    .number()
    .nullable()
    .describe('Files that were not written for a day, so that a daily run leaves them unread'),
  clusters_matched: z
    .object(machines)
    .nullable()
    .describe(
      'Of a bill: nodes of connected clusters and hosts on it. Of clusters and hosts: their nodes on connected bills. Null if there are none to compare',
    ),
  clusters: z.array(z.object({ cluster: z.string(), ...machines })).describe('The same by cluster'),
});

const checkedSource = z
  .object({
    ok: z.boolean().describe('Whether there is no problem'),
    problems: z
      .array(z.string())
      .describe('Why a run would fail or its numbers would be wrong, and what to change'),
    warnings: z.array(z.string()).describe('What works, and is worth a change'),
    found,
  })
  .meta({ id: 'CheckedSource' });

async function postCheck(
  request: Asked<{ body: typeof newCostSource }>,
  { checks, checkSource }: CheckingDependencies,
  { reply }: Replying,
) {
  const { organisation } = callerOf(request);
  const { credentials: sent = null, currency = null, ...source } = request.body;
  checkCurrency(currency, organisation.currency);
  const credentials = sent === null ? null : sentCredentials(sent, source);
  const closed = closeSignal(reply);
  const giveBack = await checks.acquire(organisation.id, closed);
  try {
    const asked = { organisation, source: { ...source, currency }, credentials };
    const { problems, warnings, found } = await checkSource(asked, closed);
    return success({ ok: problems.length === 0, problems, warnings, found });
  } finally {
    giveBack();
  }
}

/** `/cost-sources/check`: what a source has, before anybody connects it (docs/http.md#connect-a-cost-source). */
export const checkSourceRoutes = tagged('Cost sources', [
  route('POST /cost-sources/check', {
    access: 'admin',
    ownTextRules: ['credentials'],
    operationId: 'checkCostSource',
    summary: 'Look at a cost source before it is connected; stores nothing',
    description:
      'Takes the body of a new source. Reads it as a run does, for at most 30 seconds, the newest files first. An organisation has one check at a time; others wait.',
    body: newCostSource,
    answer: successOf(checkedSource),
    handle: postCheck,
  }),
]);
