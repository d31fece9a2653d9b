import { Text, VisuallyHidden } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { lazy, Suspense, useRef, type ReactNode } from 'react';
import { useSession } from '../http/session.ts';
import { changeText, exactText, moneyText, percentText, quantityText, unitCostText } from './numbers.ts';

/** Without a network the reason is left to screen readers, because the page must stay. */
const ReasonTooltip = lazy(async () => {
  const loaded = await import('./reason-tooltip.tsx').catch(() => null);
  return { default: loaded?.ReasonTooltip ?? (() => null) };
});

interface Shown {
  value: number | null | undefined;
  /** Why there is no number, in words. */
  reason?: string | null | undefined;
}

const Amount = ({ value, reason, text }: Shown & { text: (value: number) => string }): ReactNode =>
  value === null || value === undefined ? (
    <Missing reason={reason ?? 'not known'} />
  ) : (
    <span title={exactText(value)}>{text(value)}</span>
  );

/** A dash in place of a number that does not exist, with its reason on hover, on focus and for screen readers. */
export function Missing({ reason }: { reason: string }): ReactNode {
  const [isAsked, { open: ask, close: leave }] = useDisclosure();
  const dash = useRef<HTMLParagraphElement>(null);
  return (
    <>
      <Text
        span
        ref={dash}
        c="dimmed"
        tabIndex={0}
        pos="relative"
        onPointerEnter={ask}
        onPointerLeave={leave}
        onFocus={ask}
        onBlur={leave}
      >
        <span aria-hidden>–</span>
        <VisuallyHidden>{reason}</VisuallyHidden>
      </Text>
      {/* A table may have thousands of dashes. Only one of them needs a tooltip at a time. */}
      {isAsked && (
        <Suspense>
          <ReasonTooltip of={dash} reason={reason} />
        </Suspense>
      )}
    </>
  );
}

/** Money in the organisation's currency. */
export function Money(shown: Shown): ReactNode {
  const { organisation } = useSession();
  return <Amount {...shown} text={(value) => moneyText(value, organisation.currency)} />;
}

/** A cost per unit in the organisation's currency. */
export function UnitCost(shown: Shown): ReactNode {
  const { organisation } = useSession();
  return <Amount {...shown} text={(value) => unitCostText(value, organisation.currency)} />;
}

/** A count of units. */
export const Quantity = (shown: Shown): ReactNode => <Amount {...shown} text={quantityText} />;

/** A share of a whole, in percent. */
export const Percent = (shown: Shown): ReactNode => <Amount {...shown} text={percentText} />;

/** A change in percent, with its sign. */
export const Change = (shown: Shown): ReactNode => <Amount {...shown} text={changeText} />;
