import Stripe from 'stripe';
import { CREATE_RESTRICTED_KEY } from '../../../domain/imports/stripe/restricted-key.ts';
import { apiBaseText, type StripeApiBase } from '../../../domain/imports/stripe/api-base.ts';
import { invalid, Outage, ServiceError } from '../../../domain/shared/errors.ts';
import { mayPass } from '../../../egress/requests/passing-status.ts';
import type { FailedTry } from '../../shared/try-again.ts';

/** A failed request to Stripe. Its error is `invalid` if a person must act, otherwise an Outage. */
export interface StripeFailure extends FailedTry {
  /** Whether Stripe does not know the transaction after which a page was to begin. */
  isUnknownStart: boolean;
}

/**
 * Returns what an error of the `stripe` package means. The package's error must not reach a caller: its message may repeat the
 * API key, and its properties hold the whole answer. The returned error takes only names and numbers from the answer.
 */
export function stripeFailure(error: unknown, base: StripeApiBase): StripeFailure {
  const failure = error instanceof Stripe.errors.StripeError ? error : null;
  const status = failure?.statusCode;
  if (failure === null || status === undefined) return withoutAnswer(failure, base);
  const { headers, code, param } = failure;
  const mayRetry = headers?.['stripe-should-retry'];
  if (mayPass(status) || status === 409 || code === 'rate_limit' || mayRetry === 'true')
    return passing(`Stripe answered ${status}`, mayRetry !== 'false', retryAfterMs(headers?.['retry-after']));
  return {
    error: invalid(refusal(status, failure)),
    isWorthRetry: false,
    retryAfterMs: null,
    isUnknownStart:
      (status === 400 || status === 404) && (code === 'resource_missing' || param === 'starting_after'),
  };
}

const passing = (message: string, isWorthRetry = true, retryAfter: number | null = null): StripeFailure => ({
  error: new Outage(message),
  isWorthRetry,
  retryAfterMs: retryAfter,
  isUnknownStart: false,
});

/** Returns what a request without an answer that the package can read means. */
function withoutAnswer(
  failure: InstanceType<typeof Stripe.errors.StripeError> | null,
  base: StripeApiBase,
): StripeFailure {
  const detail = failure instanceof Stripe.errors.StripeConnectionError ? failure.detail : null;
  if (detail instanceof Outage) return passing(detail.message);
  // The answer is too long, or the server proves no certificate.
  if (detail instanceof ServiceError)
    return { error: detail, isWorthRetry: false, retryAfterMs: null, isUnknownStart: false };
  return passing(
    `${apiBaseText(base)} does not answer like Stripe: expected JSON; is STRIPE_API_BASE right?`,
  );
}

const SECONDS = /^\d{1,6}$/;

const retryAfterMs = (header: string | undefined): number | null =>
  header !== undefined && SECONDS.test(header) ? Number(header) * 1000 : null;

/** Returns the message for a request that Stripe refuses, so that a person must act. */
function refusal(
  status: number,
  { message, code, param }: InstanceType<typeof Stripe.errors.StripeError>,
): string {
  if (status === 401)
    return `api_key: Stripe rejects the key, because it is wrong, revoked or expired; ${CREATE_RESTRICTED_KEY}, and connect with it`;
  if (status === 403) return `api_key: ${forbidden(message)}`;
  const details = [code, param].filter((name) => name !== undefined && NAME.test(name));
  return `Stripe refused the request with ${[status, ...details].join(', ')}`;
}

const NAME = /^[a-z][a-z_[\]]{0,60}$/;

/** The permissions in Stripe's two messages: `Having the 'rak_charge_read' permission …`, `Enabling "…" ('charge_read') …`. */
const PERMISSION = /'((?:rak_)?([a-z]+(?:_[a-z]+)*)_(read|write))'/g;

function forbidden(message: string): string {
  if (/\bIP address/i.test(message))
    return 'Stripe does not accept the key from the IP address of this service; allow the address in the settings of the key';
  const lacking = [...message.matchAll(PERMISSION)].map(
    ([, name = '', what = '', right]) =>
      `${right === 'read' ? 'Read' : 'Write'} on ${what.replaceAll('_', ' ')} (${name})`,
  );
  const missing =
    lacking.length === 0 ? 'a permission, probably Read on balance transactions' : lacking.join(', ');
  return `the key lacks ${missing}; add it to the key in Stripe, or connect with a key that has it`;
}
