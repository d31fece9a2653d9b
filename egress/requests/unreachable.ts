import { invalid, Outage } from '../../domain/shared/errors.ts';
import { prefixOf } from './resolve-target.ts';

/** Codes of Node and OpenSSL for a certificate that does not prove the host, a host without TLS, and one without HTTP. */
const PERMANENT =
  /^(CERT_|ERR_TLS_|ERR_SSL_|HPE_|UNABLE_TO_|INVALID_(CA|PURPOSE)$)|SELF_SIGNED_CERT|^(EPROTO|HOSTNAME_MISMATCH)$/;

/** Codes of the same kinds for a connection that broke off or was too slow. */
const PASSING = /^(ERR_TLS_HANDSHAKE_TIMEOUT|HPE_INVALID_EOF_STATE)$/;

/**
 * Returns the error of a request that had no answer. It has no cause, because the cause names the address. A wrong
 * certificate or protocol, which a person must mend, is `invalid` and begins with `field`. All else is an outage.
 */
export function unreachable(host: string, error: unknown, field?: string): Error {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'no reason given';
  if (!PERMANENT.test(code) || PASSING.test(code)) return new Outage(`${host} cannot be reached (${code})`);
  return invalid(
    `${prefixOf(field)}${host} cannot be reached: expected ${
      code.startsWith('HPE_') ? 'an answer in HTTP' : 'a valid TLS certificate of this host'
    }, got ${code}; check the address and its certificate`,
  );
}
