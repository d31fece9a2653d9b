import { expect } from 'vitest';
import type { Answer } from './api-client.ts';

/** Asserts that an answer is exactly the error envelope, and returns its message. */
export function expectError(answer: Answer<unknown>, status: number, ...words: (string | RegExp)[]): string {
  expect({ status: answer.status, body: answer.body }).toMatchObject({ status, body: { success: false } });
  expect(Object.keys(answer.body).sort()).toEqual(['error', 'success']);
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  const { error } = answer.body;
  expect(error).toEqual(expect.stringMatching(/\S/));
  for (const word of words) expect(error).toMatch(word);
  return error;
}

/** Asserts that an answer is exactly the success envelope of one thing, or of months without more of them, and returns its data. */
export function expectData<Data>(answer: Answer<Data>): Data {
  expect({ status: answer.status, body: answer.body }).toMatchObject({
    status: 200,
    body: { success: true },
  });
  const { next_cursor, ...body } = answer.body;
  expect(Object.keys(body).sort()).toEqual(['data', 'success']);
  expect(next_cursor ?? null).toBeNull();
  return answer.body.data;
}

/** Asserts that an answer is exactly the success envelope of a page, and returns its items. */
export function expectPage<Item>(answer: Answer<Item[]>): { items: Item[]; next: string | null } {
  expect({ status: answer.status, body: answer.body }).toMatchObject({
    status: 200,
    body: { success: true },
  });
  expect(Object.keys(answer.body).sort()).toEqual(['data', 'next_cursor', 'success']);
  expect(Array.isArray(answer.body.data)).toBe(true);
  return { items: answer.body.data, next: answer.body.next_cursor };
}
