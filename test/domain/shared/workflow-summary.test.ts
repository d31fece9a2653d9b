import { expect, it } from 'vitest';
import { workflowSummary } from '../../../domain/shared/workflow-summary.ts';

const ACME = { organisation: 'Acme', subject: 'AWS' };

it.each([
  [{ ...ACME, startMonth: '2026-01', endMonth: '2026-01' }, 'AWS of Acme, 2026-01'],
  [{ ...ACME, startMonth: '2025-11', endMonth: '2026-01' }, 'AWS of Acme, 2025-11 to 2026-01'],
  [{ ...ACME, startMonth: '2025-11', endMonth: null }, 'AWS of Acme, from 2025-11'],
  [{ ...ACME, startMonth: null, endMonth: '2026-01' }, 'AWS of Acme, to 2026-01'],
  [{ ...ACME, startMonth: null, endMonth: null }, 'AWS of Acme'],
  [{ ...ACME, subject: null }, 'Acme'],
] as const)('a workflow has a summary with names and months: %o', (summarised, summary) => {
  expect(workflowSummary(summarised)).toBe(summary);
});

it('the summary of long names stays below the 400 bytes that Temporal takes', () => {
  const name = '雲'.repeat(200);
  const months = { startMonth: '2025-11', endMonth: '2026-01' } as const;
  const summary = workflowSummary({ organisation: name, subject: name, ...months });
  expect(Buffer.byteLength(JSON.stringify(summary))).toBeLessThan(400);
});
