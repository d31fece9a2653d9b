import { invalid } from '../domain/errors.ts';
import type { Session } from './session.ts';

/** Text of all that an organisation defines. Each read of its months goes through its picks. */
const MOST_BYTES = 4 * 2 ** 20;

const DEFINED = ['metrics', 'teams', 'shared_costs', 'cost_sources', 'webhooks'];

// As text, a row is about as long as it is in an answer.
const DEFINED_BYTES = `
SELECT COALESCE(sum(bytes), 0)::DOUBLE AS bytes FROM (
  ${DEFINED.map((view) => `SELECT sum(strlen(CAST(to_json(${view}) AS VARCHAR))) AS bytes FROM ${view} WHERE org_id = $org`).join(' UNION ALL ')})`;

/**
 * Throws `invalid` if the current definitions of an organisation have more text than they may: its metrics, teams, shared costs,
 * cost sources and webhooks. Runs in the transaction that has stored one; no other one of the organisation may run meanwhile.
 */
export const refuseTooMuchDefined = async (session: Session, orgId: string): Promise<void> => {
  const [defined] = await session.query<{ bytes: number }>(DEFINED_BYTES, { org: orgId });
  const bytes = defined?.bytes ?? 0;
  if (bytes > MOST_BYTES)
    throw invalid(
      `body: expected all metrics, teams, shared costs, cost sources and webhooks together to have at most ${inMiB(MOST_BYTES)}, got ${inMiB(bytes)} with this one; shorten or delete some`,
    );
};

const inMiB = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(2)} MiB`;
