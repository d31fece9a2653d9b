/** The server that answers like Stripe, as the `stripe` package takes it. */
export interface StripeApiBase {
  protocol: 'http' | 'https';
  /** A name or an address. An IPv6 address has no brackets. */
  host: string;
  port: number;
}

const EXPECTED = 'expected the base URL of an API, such as https://api.stripe.com';

/**
 * Parses STRIPE_API_BASE (docs/operation.md#settings). Throws an Error for all but `http` or `https`, a host and a port. The
 * `stripe` package always asks for `/v1/…`, so a path in the base could not be kept.
 */
export function stripeApiBase(text: string): StripeApiBase {
  const url = URL.canParse(text) ? new URL(text) : null;
  const protocol = url?.protocol === 'http:' ? 'http' : url?.protocol === 'https:' ? 'https' : null;
  if (url === null || protocol === null) throw new Error(`${EXPECTED}, got ${JSON.stringify(text)}`);
  if (url.username !== '' || url.password !== '')
    throw new Error(`${EXPECTED}, without a user name or password`);
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '')
    throw new Error(`${EXPECTED}, without a path or query, got ${JSON.stringify(text)}`);
  return {
    protocol,
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? (protocol === 'http' ? 80 : 443) : Number(url.port),
  };
}

/** Returns the URL of a base, for messages. */
export const apiBaseText = ({ protocol, host, port }: StripeApiBase): string =>
  new URL(`${protocol}://${host.includes(':') ? `[${host}]` : host}:${port}`).origin;
