import { describe, expect, it } from 'vitest';
import { Outage, ServiceError } from '../../../domain/shared/errors.ts';
import { unreachable } from '../../../egress/requests/unreachable.ts';

describe('a host without an answer', () => {
  const errorOf = (code: string): Error =>
    unreachable('host:443', Object.assign(new Error('connect 10.0.0.7'), { code }), 'location');

  it.each([
    'CERT_HAS_EXPIRED',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'SELF_SIGNED_CERT_IN_CHAIN',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'ERR_SSL_WRONG_VERSION_NUMBER',
    'EPROTO',
  ])('is a permanent error if its certificate is bad: %s', (code) => {
    const error = errorOf(code);
    expect(error).toBeInstanceOf(ServiceError);
    expect(error.message).toBe(
      `location: host:443 cannot be reached: expected a valid TLS certificate of this host, got ${code}; check the address and its certificate`,
    );
  });

  it('is a permanent error if it does not speak HTTP', () => {
    expect(errorOf('HPE_INVALID_CONSTANT')).toMatchObject({
      kind: 'invalid',
      message: expect.stringContaining('expected an answer in HTTP, got HPE_INVALID_CONSTANT') as string,
    });
  });

  it.each(['ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'ERR_TLS_HANDSHAKE_TIMEOUT', 'HPE_INVALID_EOF_STATE'])(
    'is an outage for %s',
    (code) => {
      const error = errorOf(code);
      expect(error).toBeInstanceOf(Outage);
      expect(error.message).toBe(`host:443 cannot be reached (${code})`);
    },
  );
});
