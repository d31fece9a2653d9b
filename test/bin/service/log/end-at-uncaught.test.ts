import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';

const dist = resolve(import.meta.dirname, '../../../../dist');

/** Returns how a process ended that ran these lines as the attempt of a step, and the lines of its log. */
async function ends(lines: string): Promise<{ code: unknown; log: Record<string, unknown>[] }> {
  const program = `
    import { createLog } from '${dist}/bin/service/log/log.js';
    import { LogLines } from '${dist}/bin/service/log/log-lines.js';
    import { endAtUncaught } from '${dist}/bin/service/log/end-at-uncaught.js';
    import { workingOn } from '${dist}/telemetry/current-work.js';
    endAtUncaught(createLog('info', new LogLines()));
    workingOn({ workflow: 'another', activity: 'loadExport', attempt: 1 }, () => setTimeout(() => undefined, 100_000));
    workingOn({ workflow: 'import/org_1/met_1', activity: 'readImport', attempt: 2 }, () => { ${lines} });`;
  return await new Promise((done) => {
    execFile(process.execPath, ['--input-type=module', '-e', program], (error, _stdout, stderr) => {
      const log = stderr
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>);
      done({ code: error?.code ?? 0, log });
    });
  });
}

it.each([
  [
    'an event',
    `setImmediate(() => { throw new TypeError('no row "Acme", 12.50 USD') })`,
    'uncaughtException',
  ],
  [
    'a promise',
    `void Promise.resolve().then(() => { throw new TypeError('no row "Acme", 12.50 USD') })`,
    'unhandledRejection',
  ],
  [
    'a connection',
    `import('node:net').then(({ createServer, connect }) => {
       const server = createServer((socket) => socket.end('x')).listen(0, () => {
         connect(server.address().port).on('data', () => { throw new TypeError('no row "Acme", 12.50 USD') });
       });
     })`,
    'uncaughtException',
  ],
])(
  'names the error of %s and the work that it belongs to, without cells, and ends',
  async (_of, lines, origin) => {
    const { code, log } = await ends(lines);
    expect(code).toBe(1);
    expect(log).toEqual([
      expect.objectContaining({
        level: 'fatal',
        workflow: 'import/org_1/met_1',
        activity: 'readImport',
        attempt: 2,
        origin,
        err: expect.objectContaining({ name: 'TypeError', message: 'no row …, … USD' }) as object,
        msg: 'an error that nothing caught ends the process',
      }),
    ]);
    expect(JSON.stringify(log)).not.toMatch(/Acme|12\.50/);
  },
);
