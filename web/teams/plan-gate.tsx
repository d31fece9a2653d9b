import type { ReactNode } from 'react';
import { planMessage } from '../../domain/organisations/tiers.ts';
import { useSession } from '../http/session.ts';
import { Empty } from '../shared/states.tsx';
import { sentence } from '../shared/sentences.tsx';

/** Shows what is inside if the plan includes unit economics, and else which plan does. */
export function PlanGate({ children }: { children: ReactNode }): ReactNode {
  const { has, organisation } = useSession();
  if (has('unit_economics')) return children;
  return (
    <Empty>
      Teams own spend and get a bill for each month.{' '}
      {sentence(planMessage(organisation.tier, 'unit_economics'))}
    </Empty>
  );
}
