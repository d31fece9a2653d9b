import { z } from 'zod';
import { NO_CONTROL_CHARACTERS, ONE_LINE } from '../../domain/shared/text/control-characters.ts';
import { dayOf, lastDay, monthOf } from '../../domain/shared/calendar.ts';
import { fullyLoaded, SEAL_CAUSES } from '../../domain/teams/bill.ts';
import { billStatus, billWaits } from '../../domain/teams/bill-status.ts';
import { toWire } from '../../domain/shared/decimals.ts';
import { invalid } from '../../domain/shared/errors.ts';
import { settlementReasons } from '../../domain/months/settlement.ts';
import { resealBills } from '../../warehouse/teams/bills/bill-resealing.ts';
import { listBillVersions, type Bill } from '../../warehouse/teams/bills/bill-versions.ts';
import type { MonthBills } from '../../warehouse/teams/bills/bills.ts';
import type { Organisation } from '../../warehouse/organisations/organisations.ts';
import { TEAMS, type Team } from '../../warehouse/teams/teams.ts';
import { callerOf, changeBy } from '../access/authentication.ts';
import { requested } from '../access/requested.ts';
import type { ApiDependencies } from '../http/dependencies.ts';
import { idParams, instant, month } from '../http/fields.ts';
import { pageOf, success, successOf } from '../routes/bodies.ts';
import { route, tagged, type Asked, type AskedById } from '../routes/route.ts';
import type { Reading } from '../routes/up-to-date.ts';
import { monthRangeQuery, requestedMonths } from '../http/month-range.ts';
import { readBills } from './read-bills.ts';

const money = z.number();

const amounts = {
  direct: money.describe('What the team owns'),
  shared: money.describe('Its part of shared costs'),
  fully_loaded: money.describe('direct + shared'),
  by_source: z
    .object({ cloud: money, kubernetes: money, hosts: money, ai_tools: money })
    .describe('The parts of direct'),
  shared_costs: z
    .array(z.object({ id: z.string(), name: z.string(), amount: money }))
    .describe('The parts of shared'),
};

const sealedBecause = z
  .enum(SEAL_CAUSES)
  .describe(
    'The month settled; values changed; a month that follows today moved; an admin sealed it by hand',
  );
const sealedBy = z.object({ type: z.literal('key'), id: z.string(), name: z.string() }).nullable();

/** A team's bill of a month. */
export const billRecord = z
  .object({
    month: z.string(),
    status: z.enum(['estimate', 'waiting', 'sealed']),
    direct: amounts.direct.nullable(),
    shared: amounts.shared.nullable(),
    fully_loaded: amounts.fully_loaded.nullable(),
    by_source: amounts.by_source.nullable(),
    shared_costs: amounts.shared_costs,
    version: z.number().nullable(),
    sealed_at: instant.nullable(),
    sealed_because: sealedBecause.nullable(),
    reason: z
      .string()
      .nullable()
      .describe('What had moved, or the words of the admin who sealed it; or why the team has no bill'),
    sealed_by: sealedBy.describe('Who sealed it by hand'),
    waiting_for: z.array(z.string()).describe('In words; empty once sealed'),
    uncollected: z
      .array(z.string())
      .describe(
        'Tags and splits that the bill misses, for they were not collected from the month’s first day on',
      ),
    settled_before_teams: z.boolean().describe('The month settled while there was no team'),
    backfilled: z
      .boolean()
      .describe('The spend of the month was complete more than `settle_days` + 3 days after it ended'),
    follows_today: z
      .boolean()
      .describe(
        'Settled before teams, or backfilled, or began late, and neither closed nor sealed by hand: seals again if spend, teams or shared costs change',
      ),
    unallocated: money
      .nullable()
      .describe('The organisation’s total less the bills of all teams; late spend after the seal among it'),
  })
  .meta({
    id: 'Bill',
    description:
      'Amounts are null while no spend of the month has been ingested, and if the team was created after the bills sealed.',
  });

const teamBillRecord = billRecord
  .extend({ team_id: z.string(), team_name: z.string() })
  .meta({ id: 'TeamBill' });

const REASON = { error: 'expected a text of 1 to 1000 characters' };
/** The reason that an admin gives for sealing a month by hand. */
const reason = z
  .string(REASON)
  .trim()
  .min(1, REASON)
  .max(1000, REASON)
  .regex(ONE_LINE, { error: NO_CONTROL_CHARACTERS });

const billVersion = z
  .object({
    version: z.number(),
    ...amounts,
    sealed_at: instant,
    sealed_because: sealedBecause,
    reason: z.string().nullable(),
    sealed_by: sealedBy,
  })
  .meta({ id: 'BillVersion' });

const toWireAmounts = ({ direct, shared, by_source, shared_costs, ...others }: Bill) => ({
  direct: toWire(direct),
  shared: toWire(shared),
  fully_loaded: toWire(fullyLoaded({ direct, shared })),
  by_source: {
    cloud: toWire(by_source.cloud),
    kubernetes: toWire(by_source.kubernetes),
    hosts: toWire(by_source.hosts),
    ai_tools: toWire(by_source.ai_tools),
  },
  shared_costs: shared_costs.map(({ amount, ...cost }) => ({ ...cost, amount: toWire(amount) })),
  ...others,
});

const NOT_KNOWN = {
  direct: null,
  shared: null,
  fully_loaded: null,
  by_source: null,
  shared_costs: [],
  version: null,
  sealed_at: null,
  sealed_because: null,
  reason: null,
  sealed_by: null,
};

/** Returns a team's bill of a month. A team that was created after the seal has no bill and waits for an admin. */
export function billOnWire(
  teamId: string,
  ofMonth: MonthBills,
  { settle_days }: Pick<Organisation, 'settle_days'>,
  now: Date,
): z.infer<typeof billRecord> {
  const { month, sealed, settled, holdingBack } = ofMonth;
  const own = ofMonth.bills?.get(teamId);
  const facts = { ...ofMonth, hasBill: own !== undefined };
  const waits = [
    ...(settled
      ? ofMonth.doubts.map(({ sentence }) => sentence)
      : settlementReasons(month, { settleDays: settle_days, holdingBack }, dayOf(now))),
    ...(ofMonth.bills === null ? [`no spend has been ingested for ${month}`] : []),
    ...billWaits(facts),
  ];
  const isDue = waits.length === 0 && dayOf(now) > lastDay(month);
  return {
    month,
    status: billStatus(facts),
    ...(own === undefined
      ? { ...NOT_KNOWN, reason: sealed ? (billWaits(facts)[0] ?? null) : null }
      : toWireAmounts(own)),
    waiting_for: sealed ? [...billWaits(facts)] : isDue ? ['the next daily settlement'] : waits,
    uncollected: ofMonth.uncollected[teamId] ?? [],
    settled_before_teams: ofMonth.settledBeforeTeams,
    backfilled: ofMonth.backfilled,
    follows_today: ofMonth.followsToday,
    unallocated: ofMonth.unallocated === null ? null : toWire(ofMonth.unallocated),
  };
}

const requestedTeam = (request: AskedById, { warehouse }: ApiDependencies): Promise<Team> =>
  requested('team', TEAMS, warehouse, request);

const versionParams = idParams.extend({ month });
const resealParams = z.strictObject({ month });
const resealBody = z.strictObject({ reason });

async function getBills(
  request: Asked<{ params: typeof idParams; query: typeof monthRangeQuery }>,
  { warehouse }: ApiDependencies,
  { spend, now }: Reading,
) {
  const { organisation } = callerOf(request);
  const { months: range, next_cursor } = await requestedMonths(request.query, now);
  const { months } = await readBills(warehouse, spend, organisation.id, range);
  const bills = months.map((ofMonth) => billOnWire(request.params.id, ofMonth, organisation, now));
  return { ...success(bills), next_cursor };
}

async function getVersions(request: Asked<{ params: typeof versionParams }>, { warehouse }: ApiDependencies) {
  const { id: orgId } = callerOf(request).organisation;
  const { id, month } = request.params;
  const versions = await listBillVersions(warehouse, orgId, id, month);
  return success(
    versions.map((version) => ({
      ...toWireAmounts(version),
      version: version.version ?? 0,
      sealed_at: version.sealed_at ?? '',
      sealed_because: version.sealed_because ?? 'settled',
    })),
  );
}

async function postReseal(
  request: Asked<{ params: typeof resealParams; body: typeof resealBody }>,
  { warehouse, clock }: ApiDependencies,
) {
  const caller = callerOf(request);
  const { organisation } = caller;
  const now = clock.now();
  const { month } = request.params;
  if (month > monthOf(dayOf(now)))
    throw invalid(`month: expected a past month, got ${JSON.stringify(month)}`);
  const by = changeBy(caller, now);
  const sealed = await resealBills(warehouse, organisation, month, { reason: request.body.reason, by });
  const teams = await TEAMS.list(warehouse, organisation.id);
  return success(
    teams.map(({ id, name }) => ({
      team_id: id,
      team_name: name,
      ...billOnWire(id, sealed, organisation, now),
    })),
  );
}

/** `/teams/{id}/bills`: what a team costs, month by month (docs/http.md#teams-and-bills). */
export const teamBillRoutes = tagged({ tag: 'Teams', plan: 'unit_economics' }, [
  route('GET /teams/:id/bills', {
    access: 'read',
    isCached: { madeOf: 'bills' },
    operationId: 'getTeamBills',
    summary: 'The bills of the last twelve months, or others, newest first, the running one included',
    query: monthRangeQuery,
    answer: pageOf(billRecord),
    check: async (request, now, dependencies) => {
      await requestedMonths(request.query, now);
      await requestedTeam(request, dependencies);
    },
    reads: 'bills',
    handle: getBills,
  }),
  route('GET /teams/:id/bills/:month/versions', {
    access: 'read',
    operationId: 'getBillVersions',
    summary: 'The sealed versions of a bill, newest first',
    params: versionParams,
    answer: successOf(z.array(billVersion)),
    check: (request, _now, dependencies) => requestedTeam(request, dependencies),
    reads: 'bills',
    handle: getVersions,
  }),
  route('POST /teams/bills/:month/reseal', {
    access: 'admin',
    changesNumbers: true,
    isHeavy: true,
    operationId: 'resealBills',
    summary: 'Seal all bills of a past month again from today’s spend, ownership and values',
    description:
      'Each bill gets a new version with the reason. From then on only split values and another such call move them.',
    errors: [409],
    params: resealParams,
    body: resealBody,
    answer: successOf(z.array(teamBillRecord)),
    handle: postReseal,
  }),
]);
