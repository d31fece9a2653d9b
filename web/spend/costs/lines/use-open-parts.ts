import { getRouteApi } from '@tanstack/react-router';
import type { CostRange } from '../cost-range.ts';
import type { CostsSearch } from '../costs-search.ts';

const route = getRouteApi('/signed-in/costs');

const isOpenIn = ({ then, toggled = [] }: CostsSearch, id: string): boolean =>
  toggled.includes(id) !== (then !== undefined);

function toggledIn({ toggled = [] }: CostsSearch, id: string): string[] | undefined {
  const next = toggled.includes(id) ? toggled.filter((one) => one !== id) : [...toggled, id];
  return next.length === 0 ? undefined : next;
}

/** Which parts of the spend are open to finer ones. The address says so. With a second grouping all are, unless closed. */
export function useOpenParts(): {
  isOpen: (id: string) => boolean;
  toggle: (id: string) => void;
  /** Opens a part, narrows the days, or both. */
  drillDown: (to: { open?: string; range?: CostRange }) => void;
} {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  return {
    isOpen: (id) => isOpenIn(search, id),
    toggle: (id) => {
      void navigate({
        search: (before) => ({ ...before, toggled: toggledIn(before, id) }),
        replace: true,
        resetScroll: false,
      });
    },
    drillDown: ({ open, range }) => {
      void navigate({
        search: (before) => ({
          ...before,
          ...(range !== undefined && { ...range, step: 'day' as const }),
          ...(open !== undefined && !isOpenIn(before, open) && { toggled: toggledIn(before, open) }),
        }),
        resetScroll: false,
      });
    },
  };
}
