import { QueryClient } from '@tanstack/react-query';
import { expect, it } from 'vitest';
import { listQuery } from '../../../web/http/list-query.ts';

it('a list is read from page to page by their cursors, as one list', async () => {
  const asked: unknown[] = [];
  const pages = [
    { data: ['a', 'b'], next_cursor: 'c1' },
    { data: ['c'], next_cursor: null },
  ];
  const query = listQuery(['letters'], (at) => {
    asked.push(at);
    return Promise.resolve(pages[asked.length - 1] ?? { data: [], next_cursor: null });
  });
  const client = new QueryClient();
  expect(await client.infiniteQuery({ ...query, pages: 3 })).toEqual(['a', 'b', 'c']);
  expect(asked).toEqual([{}, { cursor: 'c1' }]);
  client.clear();
});
