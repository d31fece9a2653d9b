import fc from 'fast-check';
import type { BillForm, BillLine, Organisation, Step } from '../organisation-story.ts';
import { sourceKey } from '../organisation-story.ts';

/** The form in which each source of bills writes them. */
export const randomForms: fc.Arbitrary<Organisation['forms']> = fc.record({
  'focus 1': fc.constantFrom<BillForm[]>('focus', 'focus', 'custom', 'aws_cur', 'azure_cost', 'gcp_billing'),
  'focus 2': fc.constantFrom<BillForm[]>('focus', 'custom', 'aws_cur', 'azure_cost', 'gcp_billing'),
});

/** The account that has the lines without a resource, in a bill of one cloud. */
const OWNERS: Partial<Record<BillForm, { cloud: string; account: string }>> = {
  aws_cur: { cloud: 'aws', account: '1111' },
  azure_cost: { cloud: 'azure', account: 'sub-1' },
  gcp_billing: { cloud: 'gcp', account: 'proj-a' },
};

/** Returns a step whose bill has only what its form can say: the lines of one cloud, and what that cloud writes of them. */
export function inForm(step: Step, forms: Organisation['forms']): Step {
  if (step.does !== 'load' || step.feed.kind !== 'focus') return step;
  const form = forms[sourceKey(step.source)] ?? 'focus';
  const owner = OWNERS[form];
  if (owner === undefined) return step;
  const isSaid = ({ cloud, resource }: BillLine): boolean =>
    resource === null || (cloud === owner.cloud && (form === 'gcp_billing' || resource.called === undefined));
  const lines = step.feed.lines.filter(isSaid).map((line) => ({
    ...line,
    ...(line.cloud === owner.cloud ? {} : owner),
    resource_group: form === 'azure_cost' ? line.resource_group : null,
  }));
  // Azure's charges have a single day.
  const rejected = step.feed.rejected.map((row) =>
    form === 'azure_cost' && row.days !== null ? { ...row, days: [row.days[0], row.days[0]] as const } : row,
  );
  return { ...step, feed: { ...step.feed, lines, rejected } };
}
