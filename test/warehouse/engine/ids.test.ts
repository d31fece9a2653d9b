import { describe, expect, it } from 'vitest';
import { idAfter, newId } from '../../../warehouse/engine/sql/ids.ts';
import { instant, instantOrNull } from '../../../warehouse/engine/sql/instant.ts';
import { sqlText } from '../../../warehouse/engine/sql/sql-text.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

describe('ids', () => {
  it('have a readable prefix, and sort by their creation', () => {
    const ids = Array.from({ length: 1000 }, () => newId('met'));
    expect(ids[0]).toMatch(/^met_[0-9a-f]{32}$/);
    expect([...ids].sort()).toEqual(ids);
    expect(new Set(ids).size).toBe(1000);
  });

  it('sort after the newest id read, even if it is from the future', () => {
    const future = 'ffffffff-ffff-7fff-bfff-fffffffffffe';
    expect(idAfter(future)).toBe('ffffffff-ffff-7fff-bfff-ffffffffffff');
    // A carry goes through every group: …0fff…f + 1 = …1000…0.
    expect(idAfter('f0000000-0000-7000-8000-ffffffffffff')).toBe('f0000000-0000-7000-8001-000000000000');
    let newest = 'f0000000-0000-7000-8000-fffffffffff0';
    for (let step = 0; step < 100; step += 1) {
      const next = idAfter(newest);
      expect(next).toMatch(UUID);
      expect(next > newest).toBe(true);
      newest = next;
    }
  });

  it('have the current time if the newest id read is older', () => {
    const before = Date.now();
    const id = idAfter('00000000-0000-7000-8000-000000000000');
    const made = Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);
    expect(made).toBeGreaterThanOrEqual(before);
    expect(id).toMatch(UUID);
    expect(idAfter(null) > id).toBe(true);
  });
});

it('reads timestamps as UTC', () => {
  expect(instant('2026-02-07 06:00:00')).toBe('2026-02-07T06:00:00.000Z');
  expect(instant('2026-02-07 06:00:00.123')).toBe('2026-02-07T06:00:00.123Z');
  expect(instantOrNull(null)).toBeNull();
});

it('quotes text for SQL', () => {
  expect(sqlText(`o'clock''`)).toBe(`'o''clock'''''`);
});
