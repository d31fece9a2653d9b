import { describe, expect, it } from 'vitest';
import { defaultMemory } from '../../../bin/settings/default-memory.ts';
import { readSettings } from '../../../bin/settings/settings.ts';

describe('the memory of the warehouse', () => {
  it('is a quarter of the machine, at least 128 MB and at most 1 GB', () => {
    expect(defaultMemory(2 ** 30)).toBe('268MB');
    expect(defaultMemory(2 * 2 ** 30)).toBe('536MB');
    expect(defaultMemory(4 * 2 ** 30)).toBe('1GB');
    expect(defaultMemory(64 * 2 ** 30)).toBe('1GB');
    expect(defaultMemory(256 * 2 ** 20)).toBe('128MB');
  });

  it('is what the setting says, if it is set', () => {
    expect(readSettings({ DUCKDB_MEMORY_LIMIT: '3GB' }).DUCKDB_MEMORY_LIMIT).toBe('3GB');
    expect(readSettings({}).DUCKDB_MEMORY_LIMIT).toBe(defaultMemory());
  });
});
