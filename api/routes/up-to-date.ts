import type { FastifyRequest } from 'fastify';
import { computeMetricMonths } from '../../warehouse/months/metric-months.ts';
import type { Metric } from '../../warehouse/metrics/metrics.ts';
import { computeSpend, type ComputedSpend } from '../../warehouse/spend/compute-spend.ts';
import { sealBills } from '../../warehouse/teams/bills/bill-sealing.ts';
import { callerOf } from '../access/authentication.ts';
import type { ApiDependencies } from '../http/dependencies.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Requests an evaluation of the organisation's events, because the request has computed or sealed months. */
    noteUpdate: () => void;
  }
}

/** What a route reads: spend, the bills of teams, or months of metrics, which are made of bills if any metric divides one. */
export type Reads = 'spend' | 'bills' | 'months';

/** The spend that a request has brought up to date, and when: all that the request computes from it is of this instant. */
export interface Reading {
  spend: ComputedSpend;
  now: Date;
}

/**
 * Brings up to date what a request reads, and returns the spend that it may read. For `months` these are the months of `metrics`,
 * which were read before: the costs of a metric that is made later are not computed yet. Without them, bills are sealed, too.
 */
export async function upToDate(
  { warehouse }: Pick<ApiDependencies, 'warehouse'>,
  request: FastifyRequest,
  reads: Reads,
  now: Date,
  metrics?: readonly Metric[],
): Promise<Reading> {
  const { organisation, revisions: ofRequest } = callerOf(request);
  const { id: orgId } = organisation;
  // A metric may have been made since the request began, also by another node.
  const revisions = metrics === undefined ? ofRequest : await warehouse.revisions();
  const update = {
    spend: () => computeSpend(warehouse, orgId, now, revisions),
    bills: () => sealBills(warehouse, orgId, now, revisions),
    months: () =>
      metrics === undefined ? update.bills() : computeMetricMonths(warehouse, orgId, metrics, now, revisions),
  };
  const spend = await update[reads]();
  noteUpdates(request, spend);
  return { spend, now };
}

/** Requests an evaluation of events if months were computed or sealed: at once, because the client may leave before the answer. */
export function noteUpdates(request: FastifyRequest, { months }: ComputedSpend): void {
  if (months.length > 0) request.noteUpdate();
}
