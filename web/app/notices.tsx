import { useIsMutating } from '@tanstack/react-query';
import { lazy, Suspense, useState, type ReactNode } from 'react';

const Notifications = lazy(async () => ({
  default: (await import('@mantine/notifications')).Notifications,
}));

/** What pages say about changes. Only a change brings a notice, so the code comes with the first one. */
export function Notices(): ReactNode {
  const isChanging = useIsMutating() > 0;
  const [isUsed, setUsed] = useState(false);
  if (isChanging && !isUsed) setUsed(true);
  return (
    isUsed && (
      <Suspense>
        <Notifications position="bottom-right" />
      </Suspense>
    )
  );
}
