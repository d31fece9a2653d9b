import type { FastifyReply, FastifyRequest } from 'fastify';
import helmet from 'helmet';

/** Sets the headers that keep a page to its own origin. Styles may run with the nonce, scripts only from files. */
export function protectPage(
  { raw: request }: FastifyRequest,
  { raw: response }: FastifyReply,
  nonce: string | null,
): void {
  helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'", ...(nonce === null ? [] : [`'nonce-${nonce}'`])],
        imgSrc: ["'self'", 'data:'],
        fontSrc: ["'self'"],
        connectSrc: ["'self'"],
        baseUri: ["'none'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
      },
    },
    // Whether a host name is only reached by https is for the operator to decide.
    strictTransportSecurity: false,
  })(request, response, (error) => {
    if (error !== undefined) throw error as Error;
  });
}
