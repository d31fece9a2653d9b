import { describe, expect, it } from 'vitest';
import { mayReach, parsePrivateTargets } from '../../../egress/requests/private-targets.ts';

describe('parsePrivateTargets', () => {
  it.each([
    'http://minio',
    'minio:9000',
    '127.0.0.1:9000',
    '[::1]:9000',
    '10.0.0.0/33',
    'fd00::/129',
    '10.0.0/8',
    '10.0.0.0/',
    '10.0.0.0/x',
    'minio/8',
    '256.1.1.1',
    '127.1',
    '0x7f000001',
    '*.corp',
    'fe80::1%eth0',
    'two words',
    'a..b',
    '-a',
    'münchen.example',
  ])('refuses %s and names it', (entry) => {
    expect(() => parsePrivateTargets(`minio, ${entry}`)).toThrow(`PRIVATE_TARGETS: ${JSON.stringify(entry)}`);
  });

  it('allows nothing private by default, and ignores spaces and empty entries', () => {
    for (const text of ['', ' ', ',', ' , ,']) {
      const none = parsePrivateTargets(text);
      expect(mayReach(none, 'localhost', '127.0.0.1')).toBe(false);
      expect(mayReach(none, 'example.com', '8.8.8.8')).toBe(true);
    }
  });
});

describe('mayReach', () => {
  const targets = parsePrivateTargets(
    'MinIO, db_1.corp., 192.168.1.7, [::1], 10.0.0.0/8, fd00::/8, ::ffff:172.16.0.1',
  );

  it.each([
    ['minio', '172.20.0.3'],
    ['MINIO.', '127.0.0.1'],
    ['db_1.corp', '::ffff:10.0.0.1'],
    ['anything', '192.168.1.7'],
    ['anything', '::ffff:192.168.1.7'],
    ['[::1]', '::1'],
    ['localhost', '::1'],
    ['anything', '0:0:0:0:0:0:0:1'],
    ['anything', '10.255.0.1'],
    ['anything', '::ffff:a00:1'],
    ['anything', 'fdab::1'],
    ['anything', '172.16.0.1'],
  ])('allows %s at %s', (host, ip) => {
    expect(mayReach(targets, host, ip)).toBe(true);
  });

  it.each([
    ['localhost', '127.0.0.1'],
    ['minio.evil.example', '127.0.0.1'],
    ['notminio', '127.0.0.1'],
    ['anything', '192.168.1.8'],
    ['anything', '11.0.0.1.evil'],
    ['anything', 'fe80::1'],
    ['anything', 'fd00::1%eth0'],
    ['anything', '169.254.169.254'],
  ])('refuses %s at %s', (host, ip) => {
    expect(mayReach(targets, host, ip)).toBe(false);
  });

  it('allows a whole address family if it is listed', () => {
    expect(mayReach(parsePrivateTargets('0.0.0.0/0'), 'localhost', '127.0.0.1')).toBe(true);
    expect(mayReach(parsePrivateTargets('::/0'), 'localhost', '::1')).toBe(true);
  });
});
