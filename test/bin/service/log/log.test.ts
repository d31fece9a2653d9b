import { expect, it } from 'vitest';
import { createLog } from '../../../../bin/service/log/log.ts';

it('writes the level as a word and the time as RFC 3339, and no number of either', () => {
  const lines: string[] = [];
  const log = createLog('info', { write: (line) => lines.push(line) });
  log.debug('left out');
  log.warn({ err: new Error('why') }, 'what');
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    level: 'warn',
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
    err: { message: 'why' },
    msg: 'what',
  });
});
