import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { spoolAnswer } from '../../../api/access/spool-answer.ts';
import { UnreadAnswers } from '../../../api/access/unread-answers.ts';

const MEBIBYTE = 2 ** 20;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'spool-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Yields mebibytes of `0`, `1` and so on, and counts them. */
function counted(most: number, error: Error | null = null) {
  const source = { made: 0, ended: false };
  const pieces = async function* (): AsyncGenerator<Uint8Array> {
    try {
      for (; source.made < most; source.made += 1)
        yield await Promise.resolve(Buffer.alloc(MEBIBYTE, source.made));
      if (error !== null) throw error;
    } finally {
      source.ended = true;
    }
  };
  return { source, pieces: pieces() };
}

function answerOf(pieces: AsyncIterable<Uint8Array>, each = 100 * MEBIBYTE, patienceMs = 60_000) {
  const unread = new UnreadAnswers({ total: 1_000 * MEBIBYTE, each, patienceMs });
  const closing = new AbortController();
  const { bytes, made } = spoolAnswer(pieces, { folder, unread, orgId: 'org_1', closed: closing.signal });
  return {
    bytes,
    made,
    close: () => {
      closing.abort();
    },
    /** Whether the organisation has to read first. */
    isFull: (): boolean => {
      try {
        unread.refuseMore('org_1');
        return false;
      } catch {
        return true;
      }
    },
  };
}

async function read(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const blocks: Uint8Array[] = [];
  for await (const block of bytes) blocks.push(block);
  return Buffer.concat(blocks);
}

describe('an answer', () => {
  it.each([0, 1, 5])('of %i MiB is made before anybody reads it, and then read whole', async (size) => {
    const { source, pieces } = counted(size);
    const { bytes, made, close } = answerOf(pieces);
    await made;
    expect(source).toEqual({ made: size, ended: true });
    // The file has no name, so that nothing is left after a kill.
    expect(await readdir(folder)).toEqual([]);
    const content = await read(bytes);
    expect(
      content.equals(Buffer.concat(Array.from({ length: size }, (_, at) => Buffer.alloc(MEBIBYTE, at)))),
    ).toBe(true);
    close();
  });

  it('whose making fails gives what was made before, and then the error', async () => {
    const { bytes, made, close } = answerOf(counted(3, new Error('the disk is gone')).pieces);
    await made;
    let length = 0;
    const reading = async (): Promise<void> => {
      for await (const block of bytes) length += block.length;
    };
    await expect(reading()).rejects.toThrow('the disk is gone');
    expect(length).toBe(3 * MEBIBYTE);
    close();
  });

  it('waits for its reader at the limit of its organisation, and goes on', async () => {
    const { source, pieces } = counted(20);
    const { bytes, made, close, isFull } = answerOf(pieces, 4 * MEBIBYTE);
    while (!isFull()) await setImmediate();
    expect(source.made).toBeLessThan(20);
    const content = await read(bytes);
    await made;
    expect(content.length).toBe(20 * MEBIBYTE);
    expect(isFull()).toBe(false);
    close();
  });

  it('ends if its reader lets it wait for too long in all', async () => {
    const { source, pieces } = counted(20);
    const { bytes, made, close } = answerOf(pieces, 4 * MEBIBYTE, 50);
    await made;
    expect(source.ended).toBe(true);
    await expect(read(bytes)).rejects.toThrow('the caller reads its answers too slowly');
    close();
  });

  it('of a caller who has gone is given up, and takes no room', async () => {
    const { source, pieces } = counted(20);
    const { made, close, isFull } = answerOf(pieces, 4 * MEBIBYTE);
    while (!isFull()) await setImmediate();
    close();
    await made;
    expect(source.ended).toBe(true);
    expect(source.made).toBeLessThan(20);
    expect(isFull()).toBe(false);
  });
});
