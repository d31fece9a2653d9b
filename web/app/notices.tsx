import { useIsMutating } from '@tanstack/react-query';
import { lazy, Suspense, useState, type ReactNode } from 'react';

const NoticeList = lazy(async () => ({
  default: (await import('../shared/forms/notice-list.tsx')).NoticeList,
}));

/** What pages say about changes. Only a change brings a notice, so pages without changes never load its code. */
export function Notices(): ReactNode {
  const isChanging = useIsMutating({ predicate: ({ meta }) => meta?.hasNotices === true }) > 0;
  const [isUsed, setUsed] = useState(false);
  if (isChanging && !isUsed) setUsed(true);
  return (
    isUsed && (
      <Suspense>
        <NoticeList />
      </Suspense>
    )
  );
}
