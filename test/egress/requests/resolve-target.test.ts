import dns from 'node:dns';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ServiceError } from '../../../domain/shared/errors.ts';
import { parsePrivateTargets } from '../../../egress/requests/private-targets.ts';
import { resolveTarget } from '../../../egress/requests/resolve-target.ts';

const none = parsePrivateTargets('');

/** Makes the system resolver return these addresses, in this order. */
const answerWith = (...addresses: string[]) =>
  vi
    .spyOn(dns.promises, 'lookup')
    .mockImplementation((() =>
      Promise.resolve(
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      )) as unknown as typeof dns.promises.lookup);

afterEach(() => {
  vi.restoreAllMocks();
});

describe('resolveTarget', () => {
  it('returns an IP address unchanged', async () => {
    await expect(resolveTarget(none, '8.8.8.8')).resolves.toEqual(['8.8.8.8']);
    await expect(resolveTarget(none, '[2606:4700:4700::1111]')).resolves.toEqual(['2606:4700:4700::1111']);
  });

  it.each([
    'localhost',
    'LOCALHOST.',
    '127.0.0.1',
    '[::1]',
    '::ffff:7f00:1',
    '127.1',
    '0x7f.1',
    '2130706433',
  ])('refuses %s, which is a loopback address', async (host) => {
    const refused = resolveTarget(none, host);
    await expect(refused).rejects.toBeInstanceOf(ServiceError);
    await expect(refused).rejects.toMatchObject({
      kind: 'invalid',
      message: `the host ${JSON.stringify(host)} is a loopback, private or link-local address: allow it with PRIVATE_TARGETS`,
    });
  });

  it('resolves a listed name', async () => {
    const addresses = await resolveTarget(parsePrivateTargets('localhost'), 'localhost');
    expect(['127.0.0.1', '::1']).toEqual(expect.arrayContaining(addresses));
  });

  it('returns every address of a public name', async () => {
    answerWith('8.8.8.8', '2606:4700:4700::1111');
    await expect(resolveTarget(none, 'public.example')).resolves.toEqual(['8.8.8.8', '2606:4700:4700::1111']);
  });

  it('refuses a name with one private address among public ones, and does not name the address', async () => {
    answerWith('8.8.8.8', '10.9.8.7');
    const refused = resolveTarget(none, 'mixed.example', 'webhook');
    await expect(refused).rejects.toThrow(/^webhook: the host "mixed\.example" is .* PRIVATE_TARGETS$/);
    await expect(refused).rejects.not.toThrow('10.9.8.7');
  });

  it('names a host that does not resolve', async () => {
    await expect(resolveTarget(none, 'no-such-host.invalid')).rejects.toMatchObject({
      kind: 'invalid',
      message: 'the host "no-such-host.invalid" does not resolve',
    });
    answerWith();
    await expect(resolveTarget(none, 'empty.example')).rejects.toThrow('does not resolve');
  });
});
