/** An answer of Stripe's API. */
export interface StripeAnswer {
  status: number;
  body: string;
  headers?: Record<string, string>;
}

const json = (status: number, body: unknown): StripeAnswer => ({
  status,
  body: JSON.stringify(body, null, 2),
});

const error = (status: number, fields: Record<string, string>): StripeAnswer =>
  json(status, { error: { ...fields, type: 'invalid_request_error' } });

/** Stripe hides most of a key in its messages, but not its beginning and end. */
const masked = (key: string): string =>
  `${key.slice(0, 8)}${'*'.repeat(Math.max(0, key.length - 14))}${key.slice(-6)}`;

export const noKey = (): StripeAnswer =>
  error(401, {
    message:
      "You did not provide an API key. You need to provide your API key in the Authorization header, using Bearer auth (e.g. 'Authorization: Bearer YOUR_SECRET_KEY').",
  });

export const wrongKey = (key: string): StripeAnswer =>
  error(401, { message: `Invalid API Key provided: ${masked(key)}` });

export const expiredKey = (key: string): StripeAnswer =>
  error(401, { code: 'api_key_expired', message: `Expired API Key provided: ${masked(key)}` });

export const noPermission = (key: string, account: string, permission: string): StripeAnswer =>
  error(403, {
    message: `The provided key '${masked(key)}' does not have the required permissions for this endpoint on account '${account}'. Having the '${permission}' permission would allow this request to continue.`,
  });

export const noRoute = (method: string, path: string): StripeAnswer =>
  error(404, { message: `Unrecognized request URL (${method}: ${path}).` });

export const noTransaction = (id: string): StripeAnswer =>
  error(400, {
    code: 'resource_missing',
    message: `No such balance_transaction: '${id}'`,
    param: 'starting_after',
  });

export const badParameter = (param: string, message: string, code = 'parameter_unknown'): StripeAnswer =>
  error(400, { code, message, param });

export const tooManyRequests = (retryAfterSeconds: number | null): StripeAnswer => ({
  ...error(429, { code: 'rate_limit', message: 'Request rate limit exceeded.' }),
  ...(retryAfterSeconds === null ? {} : { headers: { 'retry-after': retryAfterSeconds.toString() } }),
});

export const serverError = (status = 500): StripeAnswer =>
  json(status, { error: { message: 'An unknown error occurred.', type: 'api_error' } });

export const listOf = (url: string, data: readonly unknown[], hasMore: boolean): StripeAnswer =>
  json(200, { object: 'list', data, has_more: hasMore, url });
