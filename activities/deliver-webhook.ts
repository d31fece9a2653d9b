import { activityInfo } from '@temporalio/activity';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import type { Logger } from 'pino';
import { Webhook as Signer } from 'standardwebhooks';
import type { Clock } from '../domain/shared/clock.ts';
import type { FailureReason } from '../domain/shared/failure-reason.ts';
import { retryAfterOf, waitAfter } from '../domain/events/retry-after.ts';
import { SECRET_OVERLAP_HOURS, type DeliveryInput, type DeliveryStatus } from '../domain/events/webhook.ts';
import { withoutCells } from '../domain/shared/text/without-cells.ts';
import { guardedRequest, type GuardedAnswer } from '../egress/requests/guarded-request.ts';
import type { PrivateTargets } from '../egress/requests/private-targets.ts';
import type { Sealer } from '../security/sealing.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Warehouse } from '../warehouse/engine/warehouse.ts';
import { endDelivery, findDelivery, recordAttempt } from '../warehouse/events/webhook-deliveries.ts';
import { causeOf } from './shared/cause-of.ts';
import { messageOf } from './shared/failures.ts';
import { logFailure } from './shared/log-failure.ts';
import { openReason } from './shared/seal-failures.ts';
import { withHeartbeats } from './shared/with-heartbeats.ts';
import { disableGoneWebhook, WEBHOOKS, WEBHOOK_GONE, WEBHOOK_OFF } from '../warehouse/events/webhooks.ts';
import { SECRET_UNREADABLE, signingSecrets } from '../warehouse/events/webhook-secrets.ts';

export interface DeliveryDependencies {
  warehouse: Warehouse;
  clock: Clock;
  sealer: Sealer;
  privateTargets: PrivateTargets;
  timeoutMs: number;
  userAgent: string;
  metrics: Metrics;
  log: Logger;
}

/** How many bytes of an endpoint's answer are stored: enough to see the problem. */
const KEPT_BYTES = 1000;

const HOUR_MS = 3_600_000;

/** The status by which an endpoint says that it is gone for good (RFC 9110, section 15.5.11). */
const GONE = 410;

/** The steps of a delivery. They read secrets and payloads by id, so that none of these are in Temporal's workflow history. */
export function createDeliveryActivities({
  warehouse,
  clock,
  sealer,
  privateTargets,
  timeoutMs,
  userAgent,
  metrics: { eventDeliveries },
  log,
}: DeliveryDependencies) {
  const signatures = async (
    { orgId, webhookId, eventId }: DeliveryInput,
    sentAt: Date,
    body: string,
  ): Promise<string> => {
    const overlapFrom = new Date(clock.now().getTime() - SECRET_OVERLAP_HOURS * HOUR_MS);
    const secrets = await signingSecrets(warehouse, sealer, orgId, webhookId, overlapFrom);
    if (secrets === null) throw new Error(SECRET_UNREADABLE);
    return secrets.map((secret) => new Signer(secret).sign(eventId, sentAt, body)).join(' ');
  };

  const post = async (
    delivery: DeliveryInput,
    target: string,
    body: string,
    signal: AbortSignal,
  ): Promise<GuardedAnswer> => {
    // The machine's time, even if CLOCK makes time stand still, because receivers compare it with their own clock.
    const sentAt = new Date();
    const headers = {
      'content-type': 'application/json',
      'user-agent': userAgent,
      'webhook-id': delivery.eventId,
      'webhook-timestamp': Math.floor(sentAt.getTime() / 1000).toString(),
      'webhook-signature': await signatures(delivery, sentAt, body),
    };
    return guardedRequest(
      new URL(target),
      { method: 'POST', headers, body },
      { privateTargets, timeoutMs, mostBytes: KEPT_BYTES, longer: 'cut', signal },
    );
  };

  const logGivenUp = (
    { orgId: organisation, webhookId: webhook, eventId: event }: DeliveryInput,
    reason: string,
  ): void => {
    eventDeliveries.inc({ result: 'given_up' });
    logFailure(log, { kind: 'delivery', organisation, webhook, event, reason });
  };

  return {
    /**
     * Sends the event once and records the outcome. If the process dies between the two, Temporal runs this step again, which
     * sends the event again under the same id. Throws a retryable failure if the endpoint did not accept the event; the next
     * attempt waits at least as long as the endpoint asks. An endpoint that is gone gets no further attempt, and its webhook is
     * disabled.
     */
    async attemptDelivery(delivery: DeliveryInput): Promise<DeliveryStatus> {
      const state = await findDelivery(warehouse, delivery);
      if (state === null) throw ApplicationFailure.nonRetryable(`event ${delivery.eventId} has no delivery`);
      if (state.status !== 'pending') return state.status;
      const webhook = await WEBHOOKS.find(warehouse, delivery.orgId, delivery.webhookId);
      if (webhook?.enabled !== true) {
        const reason = webhook === null ? WEBHOOK_GONE : WEBHOOK_OFF;
        await endDelivery(warehouse, delivery, { status: 'failed', reason }, clock.now());
        logGivenUp(delivery, reason);
        return 'failed';
      }
      let answer: GuardedAnswer | null = null;
      let error: string | null;
      let cause: ReturnType<typeof causeOf> = {};
      try {
        answer = await withHeartbeats([], ({ signal }) => post(delivery, webhook.url, state.payload, signal));
        error = problemOf(answer);
      } catch (failure) {
        // The attempt was given up, for example because the process ends. It has no outcome to record.
        if (failure instanceof CancelledFailure) throw failure;
        error = messageOf(failure);
        cause = causeOf(failure);
      }
      const attempt = {
        at: clock.now().toISOString(),
        status_code: answer?.status ?? null,
        error,
        answer: answer?.text ?? null,
        // The machine's time, because the endpoint's date follows a real clock.
        retry_after: error === null ? null : retryAfterOf(answer?.headers['retry-after'] ?? null, new Date()),
      };
      if (answer?.status === GONE) {
        const found = { url: webhook.url, attempt, reason: ENDPOINT_GONE, now: clock.now() };
        if (await disableGoneWebhook(warehouse, delivery, found)) {
          logGivenUp(delivery, ENDPOINT_GONE);
          return 'failed';
        }
      }
      const delivered = { status: 'delivered', reason: null } as const;
      if (error === null) await endDelivery(warehouse, delivery, delivered, clock.now(), attempt);
      else await recordAttempt(warehouse, delivery, attempt);
      eventDeliveries.inc({ result: error === null ? 'delivered' : 'attempt_failed' });
      const { orgId: organisation, webhookId, eventId: event } = delivery;
      const reason = error === null ? undefined : withoutCells(error);
      const line = { organisation, webhook: webhookId, event, status: answer?.status, reason, ...cause };
      log.info(line, 'webhook attempt');
      if (error === null) return 'delivered';
      // Without the endpoint's wish, Temporal waits by its own policy (workflows/steps.ts).
      if (attempt.retry_after === null) throw ApplicationFailure.retryable(error, NOT_ACCEPTED);
      const wait = waitAfter(activityInfo().attempt, attempt.retry_after);
      throw ApplicationFailure.create({
        message: error,
        type: NOT_ACCEPTED,
        nextRetryDelay: `${wait}s`,
      });
    },

    /** Records that a delivery has failed for good, and why. */
    async giveDeliveryUp(delivery: DeliveryInput, why: FailureReason): Promise<void> {
      const { workflowId = '' } = activityInfo().workflowExecution ?? {};
      const last = openReason(sealer, why, { orgId: delivery.orgId, workflowId });
      const reason =
        last === null ? why.text : `given up after three days of attempts; the last error: ${last}`;
      await endDelivery(warehouse, delivery, { status: 'failed', reason }, clock.now());
      logGivenUp(delivery, reason);
    },
  };
}

/** The names and shapes of the delivery activities, for workflows. */
export type DeliveryActivities = ReturnType<typeof createDeliveryActivities>;

/** The type of an attempt's failure in the history. */
const NOT_ACCEPTED = 'not_accepted';

const ENDPOINT_GONE = 'the endpoint answered 410 Gone; enable the webhook once it takes events again';

function problemOf({ status, redirectsTo }: GuardedAnswer): string | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400) {
    const where = redirectsTo === null ? '' : ` to ${redirectsTo}`;
    return `answered ${status}: a redirect${where} is not followed; set the url to its target`;
  }
  return `answered ${status}`;
}
