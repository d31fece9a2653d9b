import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Sealer } from '../../security/sealing.ts';

describe('a sealed text', () => {
  const sealer = new Sealer(randomBytes(32));
  const place = { orgId: 'org_1', record: 'whk_1', field: 'secret' };
  const sealed = sealer.seal(place, 'whsec_geheim ✓');

  it('opens in its place, hides its content, and differs each time', () => {
    expect(sealer.open(place, sealed)).toBe('whsec_geheim ✓');
    expect(sealer.open(place, sealer.seal(place, ''))).toBe('');
    expect(sealer.seal(place, 'whsec_geheim ✓')).not.toBe(sealed);
    expect(Buffer.from(sealed.split('.')[2] ?? '', 'base64url').toString('latin1')).not.toContain('whsec');
  });

  it('does not open for another organisation, record or field', () => {
    for (const other of [{ orgId: 'org_2' }, { record: 'whk_2' }, { field: 'url' }])
      expect(() => sealer.open({ ...place, ...other }, sealed)).toThrow();
  });

  it('does not open if it was changed or cut', () => {
    const bytes = Buffer.from(sealed.split('.')[2] ?? '', 'base64url');
    for (let index = 0; index < bytes.length; index++) {
      const changed = Buffer.from(bytes);
      changed[index] = (changed[index] ?? 0) ^ 1;
      const text = [...sealed.split('.').slice(0, 2), changed.toString('base64url')].join('.');
      expect(() => sealer.open(place, text)).toThrow();
    }
    expect(() => sealer.open(place, sealed.slice(0, -4))).toThrow();
    // Base64 decoders skip these.
    for (const more of ['=', '!', '.more'])
      expect(() => sealer.open(place, sealed + more)).toThrow(/changed/);
    expect(() => sealer.open(place, '')).toThrow(/not sealed as v1/);
  });

  it('names MASTER_KEY if it was sealed with another key', () => {
    expect(() => new Sealer(randomBytes(32)).open(place, sealed)).toThrow(/MASTER_KEY/);
    expect(() => new Sealer(randomBytes(16))).toThrow(/32 bytes/);
  });
});
