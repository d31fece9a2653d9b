import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LogLines } from '../../../../bin/service/log/log-lines.ts';

const room = { bytes: Infinity };

/** Writes to a disk with so much room. The real file takes what fits. */
function writeWhatFits(to: number, bytes: Buffer, at: number): number {
  const fits = Math.min(bytes.length - at, room.bytes);
  if (fits === 0) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
  room.bytes -= fits;
  return writeSync(to, bytes, at, fits);
}

let folder: string;
let file: number;
let lines: LogLines;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'log-'));
  file = openSync(join(folder, 'log'), 'w');
  lines = new LogLines(file, writeWhatFits);
  room.bytes = Infinity;
});
afterEach(() => {
  closeSync(file);
  rmSync(folder, { recursive: true });
});
const written = (): string[] => readFileSync(join(folder, 'log'), 'utf8').split('\n');

describe('a log on a full disk', () => {
  it('drops lines, counts them, and goes on once there is room', () => {
    const log = pino({ level: 'info', base: null, timestamp: false }, lines);
    log.info('before');
    room.bytes = 0;
    for (let line = 0; line < 3; line += 1) log.info('during');
    expect(lines.dropped).toBe(3);
    room.bytes = Infinity;
    log.info('after');
    log.info('later');
    const [before, after, told, later, ...rest] = written();
    expect([before, after, later]).toEqual(
      ['before', 'after', 'later'].map((msg) => JSON.stringify({ level: 30, msg })),
    );
    expect(JSON.parse(told ?? '')).toMatchObject({
      level: 'warn',
      dropped: 3,
      msg: 'log lines were dropped',
    });
    expect(rest).toEqual(['']);
  });

  it('never continues a line that was cut', () => {
    room.bytes = 4;
    lines.write('{"msg":"cut"}\n');
    room.bytes = Infinity;
    lines.write('{"msg":"whole"}\n');
    const [cut, whole] = written();
    expect([cut, whole]).toEqual(['{"ms', '{"msg":"whole"}']);
    expect(lines.dropped).toBe(1);
  });
});
