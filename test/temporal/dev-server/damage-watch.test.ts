import { appendFile, mkdtemp, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { watchForDamage, type DamageWatch } from '../../../temporal/dev-server/damage-watch.ts';

const MALFORMED = 'database disk image is malformed (11)';
const START = 'time=2026-11-22T14:58:04.045 level=ERROR msg=';
const failed = (error: string, fields = ''): string =>
  `${START}"Operation failed with internal error." ${fields}error="${error}" error-type=serviceerror.Unavailable operation=GetWorkflowExecution\n`;
const DAMAGE = failed(`GetWorkflowExecution: failed. Error: ${MALFORMED}`);
const NOISE = 'time=2026-11-22T14:57:59.593 level=WARN msg="network dial error" service=client\n';

describe('a watch of the log of a Temporal server', () => {
  let dir: string;
  let log: string;
  let watch: DamageWatch;
  const warned: unknown[] = [];
  const watchFrom = (from: number): void => {
    watch = watchForDamage(log, from, { warn: (problem: unknown) => warned.push(problem) });
  };

  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'damage-watch-'));
    log = join(dir, 'temporal.log');
  });
  afterEach(async () => {
    await watch.stop();
    await rm(dir, { recursive: true });
    expect(warned).toEqual([]);
  });

  it.each([
    ['a damaged page', DAMAGE, MALFORMED],
    ['other fields', failed(`x. Error: ${MALFORMED}`, String.raw`component=a name="b \"c\"" `), MALFORMED],
    [
      'a damaged index of workflows',
      `${START}"Operation failed with an error." error="database disk image is malformed: vtable constructor failed: fts (267)"\n`,
      'database disk image is malformed: vtable constructor failed: fts (267)',
    ],
    ['a file that is not a database', failed('file is not a database (26)'), 'file is not a database (26)'],
  ])('finds %s', async (_what, line, words) => {
    await writeFile(log, NOISE + line + NOISE);
    watchFrom(0);
    expect(await watch.found).toBe(words);
    expect(await watch.look()).toBe(words);
  });

  it.each([
    ['is locked', failed('x. Error: database is locked (5)')],
    ['cannot be written because the disk is full', failed('x. Error: database or disk is full (13)')],
    ['has a workflow of that name', failed(`workflow ${MALFORMED}. Error: database is locked (5)`)],
    ['has a workflow that looks like a field', failed(String.raw`x error=\"${MALFORMED}\"`)],
    ['has another field with the words', failed('x', `wf-id="${MALFORMED}" `)],
    ['has a field that looks like two', failed('x', String.raw`wf-id="a error=\"${MALFORMED}\" b" `)],
    ['has a workflow that failed with these words', `${START}"Workflow failed" error="${MALFORMED}"\n`],
    ['has only a warning', DAMAGE.replace('ERROR', 'WARN')],
    ['has a line in the middle of another', `${'x'.repeat(65_536)}${DAMAGE}`],
    // The text fills two pieces of 64 KiB, so that the third begins like a line of damage.
    ['has a line at the end of a very long one', `${'x'.repeat(131_072 - NOISE.length)}${DAMAGE}`],
    ['has a line that is not finished', DAMAGE.trimEnd()],
  ])('finds nothing in a database that %s', async (_what, line) => {
    await writeFile(log, NOISE + line);
    watchFrom(0);
    expect(await watch.look()).toBeNull();
  });

  it('reads added lines of its own server only', async () => {
    await writeFile(log, DAMAGE);
    watchFrom(DAMAGE.length);
    expect(await watch.look()).toBeNull();
    await appendFile(log, NOISE.repeat(5_000) + DAMAGE.slice(0, 50));
    expect(await watch.look()).toBeNull();
    await appendFile(log, DAMAGE.slice(50));
    expect(await watch.look()).toBe(MALFORMED);
  });

  it('follows a log that does not exist yet, and one that is renamed or truncated', async () => {
    watchFrom(0);
    expect(await watch.look()).toBeNull();
    await writeFile(log, NOISE.repeat(10));
    expect(await watch.look()).toBeNull();
    await rename(log, `${log}.1`);
    await truncate(`${log}.1`);
    await appendFile(`${log}.1`, NOISE);
    expect(await watch.look()).toBeNull();
    await appendFile(`${log}.1`, DAMAGE);
    expect(await watch.look()).toBe(MALFORMED);
  });
});
