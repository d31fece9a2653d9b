import { infiniteQueryOptions, type InfiniteData, type QueryKey } from '@tanstack/react-query';

/** A page of a list, as the API returns it. */
interface Page<Item> {
  data: Item[];
  next_cursor: string | null;
}

const itemsOf = <Item>({ pages }: InfiniteData<Page<Item>>): Item[] => pages.flatMap(({ data }) => data);

/** A list that is read page by page. `read` asks for the page at a cursor, and for the first page without one. */
export const listQuery = <Item>(
  queryKey: QueryKey,
  read: (at: { cursor?: string }, signal: AbortSignal) => Promise<Page<Item>>,
) =>
  infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam: cursor, signal }) => read(cursor === null ? {} : { cursor }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    select: itemsOf<Item>,
  });
