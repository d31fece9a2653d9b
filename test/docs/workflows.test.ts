import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  aloneQueueOf,
  DELIVERY_TASK_QUEUE,
  SEARCH_ATTRIBUTES,
  TASK_QUEUE,
  WORKFLOW_NAMES,
  workflowIdOf,
  type WorkflowName,
  type Workflows,
} from '../../workflows/contract.ts';
import { dayLine, focusCsv } from '../support/exports/focus-export.ts';
import { listenLocally } from '../support/fakes/file-server.ts';
import { create } from '../support/service/create.ts';
import { newOrganisation, waitFor, type Api, type Run } from '../support/service/api-client.ts';
import { expectPage } from '../support/service/envelope.ts';
import { sharedService, type SharedService } from '../support/service/shared-service.ts';
import { openPageShell, type PageShell } from './page-shell.ts';
import { blocksOf, readPages, tableBelow } from './page.ts';
import { lacking } from '../support/needs.ts';
import { withOpened } from '../support/with-opened.ts';

const page = (await readPages()).find(({ path }) => path === 'docs/workflows.md')?.text ?? '';

describe('the table of workflows', () => {
  const rows = tableBelow(page, '## All workflows').map((cells) =>
    cells.map((cell) => cell.replaceAll('`', '')),
  );

  it('has every workflow', () => {
    expect(rows.map(([name]) => name).sort()).toEqual([...WORKFLOW_NAMES].sort());
    const queues = [TASK_QUEUE, DELIVERY_TASK_QUEUE].flatMap((queue) => [queue, aloneQueueOf(queue)]);
    for (const word of [...queues, ...Object.keys(SEARCH_ATTRIBUTES)]) expect(page).toContain(word);
  });

  it('has the id that each gets for its input', () => {
    const inputs = new Map(rows.map(([name, , input]) => [name, input]));
    for (const [name = '', id = '', input = ''] of rows) {
      if (id === 'any') continue;
      const args = input === 'none' ? [] : [JSON.parse(input) as unknown];
      expect([name, id]).toEqual([
        name,
        workflowIdOf(name as WorkflowName, ...(args as Parameters<Workflows[WorkflowName]>)),
      ]);
    }
    expect(inputs.get('ingestCostsOnSchedule')).toBe('the same');
  });
});

const why = lacking('shell', 'temporal');

describe.skipIf(why !== '')(`the command of Temporal${why}`, () => {
  let service: SharedService;
  let organisation: { id: string; secret: string; admin: Api };
  let folder: string;
  let shell: PageShell;
  // An OpenCost that never answers.
  const silent = withOpened(() => listenLocally(() => undefined));

  beforeAll(async () => {
    service = await sharedService();
    organisation = await newOrganisation(service);
    folder = await mkdtemp(join(tmpdir(), 'cost-analytics-docs-'));
    await symlink(service.dataDir, join(folder, 'data'));
    shell = await openPageShell('workflows', folder, {}, new Map());
  });
  afterAll(async () => {
    await shell.close();
    await rm(folder, { recursive: true, force: true });
  });

  const newSource = async (source: object): Promise<string> => {
    const id = await create(organisation.admin, '/cost-sources', source);
    // The page takes the id from what was printed last.
    await shell.run(`ORG=${organisation.id}; echo ${id}`);
    return id;
  };
  const newBill = async (name: string): Promise<string> => {
    const location = join(service.exportsDir, `${name}.csv`);
    await writeFile(location, focusCsv([dayLine('2026-01-15', '640.25')]));
    return newSource({ name, kind: 'focus', location });
  };
  const runsOf = async (sourceId: string): Promise<Run[]> =>
    expectPage(await organisation.admin.get<Run[]>(`/cost-sources/${sourceId}/runs`)).items;
  /** Returns what the command prints about a start that is refused at once. */
  const refusalOf = async (type: string, workflowId: string, input: string): Promise<string> => {
    const { code, printed } = await shell.run(
      `npx --no-install cost-analytics temporal workflow execute --type ${type} --task-queue ${TASK_QUEUE} --workflow-id ${workflowId} ${input}`,
    );
    expect(code).toBe(1);
    return printed;
  };
  const startBlock = (): string => {
    const [found] = blocksOf(page).filter(({ text }) => text.includes('workflow start --type ingestCosts'));
    return found?.text ?? '';
  };

  it('starts an ingest, as the page says', async () => {
    const sourceId = await newBill('Started by hand');
    const { code, printed } = await shell.run(startBlock());
    expect({ code, printed }).toMatchObject({ code: 0 });
    expect(printed).toMatch(/Status +COMPLETED/);
    expect(await runsOf(sourceId)).toMatchObject([
      { status: 'completed', months: ['2026-01'], rows_read: 1, cost_total: 640.25 },
    ]);
  });

  it('is told what is wrong with an input or an id, and nothing is stored', async () => {
    const sourceId = await newBill('Started wrongly');
    const id = `ingest/${organisation.id}/${sourceId}`;
    const input = (more: object): string => JSON.stringify({ orgId: organisation.id, sourceId, ...more });
    const wrong: [string, string, string][] = [
      ['another', input({}), `workflow id: expected ${id}, got "another"`],
      [
        id,
        input({ startMonth: 'January' }),
        'startMonth: expected a month such as 2026-01, or null, got "January"',
      ],
      [
        id,
        input({ start_month: '2026-01' }),
        'input: expected only orgId, sourceId, startMonth, endMonth, acceptShrink, readAll',
      ],
      [id, input({ orgId: 7 }), 'orgId: expected an id such as org_…, got 7'],
      [id, '"all"', 'input: expected one object with orgId, sourceId'],
      [id, JSON.stringify({ sourceId }), 'orgId: expected an id such as org_…, got nothing'],
      [
        id,
        input({ startMonth: '2026-13' }),
        'startMonth: expected a month such as 2026-01, or null, got "2026-13"',
      ],
      [
        id,
        input({ startMonth: '2026-02', endMonth: '2026-01' }),
        'endMonth: expected no month before the startMonth 2026-02, got "2026-01"',
      ],
      [id, input({ toString: 1 }), 'got "toString"'],
    ];
    for (const [workflowId, given, message] of wrong)
      expect(await refusalOf('ingestCosts', workflowId, `--input '${given}'`)).toContain(message);
    expect(await runsOf(sourceId)).toEqual([]);
  });

  it('is told at once of an unknown type, and of an input that no workflow can read', async () => {
    expect(await refusalOf('ingestCost', 'any', "--input '{}'")).toContain(
      'workflow type: expected one of ingestCosts, ingestCostsOnSchedule,',
    );
    expect(await refusalOf('maintainWarehouse', 'maintained-by-hand', "--input '{}'")).toContain(
      'input: expected nothing, got an object',
    );
    const bytes = "--input eA== --input-base64 --input-meta 'encoding=binary/plain'";
    expect(await refusalOf('settleMonths', 'settled-by-hand', bytes)).toContain(
      'input: expected one object with orgId',
    );
  });

  it('cancels an ingest, whose run says so', async () => {
    const sourceId = await newSource({ name: 'Silent', kind: 'opencost', location: silent.url });
    const [start = ''] = startBlock().split('\nnpx --no-install cost-analytics temporal workflow result');
    expect(await shell.run(start)).toMatchObject({ code: 0 });
    await waitFor(async () => (silent.requests.length > 0 ? true : undefined));
    const [cancel = ''] = (
      blocksOf(page).find(({ text }) => text.includes('workflow cancel'))?.text ?? ''
    ).split('\n');
    expect(await shell.run(cancel)).toMatchObject({ code: 0 });
    const ended = await waitFor(async () =>
      (await runsOf(sourceId)).find(({ status }) => status !== 'running'),
    );
    expect(ended).toMatchObject({ status: 'failed', error: 'the run was cancelled in Temporal' });
  });
});
