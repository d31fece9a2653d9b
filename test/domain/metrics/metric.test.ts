import { expect, it } from 'vitest';
import { ingestWorkflowId, runIdOf } from '../../../domain/sources/ingest.ts';
import { periodToDay, periodToWire } from '../../../domain/metrics/metric.ts';

it('stores a month as its first day, and shows it as a month', () => {
  expect(periodToDay('2026-01')).toBe('2026-01-01');
  expect(periodToDay('2026-01-31')).toBe('2026-01-31');
  expect(periodToWire('2026-01-01', 'monthly')).toBe('2026-01');
  expect(periodToWire('2026-01-01', 'daily')).toBe('2026-01-01');
});

it('gives a source one workflow id and each execution its own run id', () => {
  expect(ingestWorkflowId('org_1', 'src_1')).toBe('ingest/org_1/src_1');
  expect(runIdOf('0190a8f4-1111-7000-8000-00000000000a')).toBe('run_0190a8f411117000800000000000000a');
});
