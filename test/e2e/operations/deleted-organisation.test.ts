import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { WorkflowFailedError } from '@temporalio/client';
import { beforeAll, describe, expect, it } from 'vitest';
import { dayLine, focusCsv } from '../../support/exports/focus-export.ts';
import { allocation, node, startFakeOpenCost } from '../../support/fakes/fake-opencost.ts';
import { newReceiver } from '../../support/fakes/webhook-receiver.ts';
import { create, createMetric } from '../../support/service/create.ts';
import {
  as,
  newIngestedSource,
  newOrganisation,
  signIn,
  waitFor,
  type Api,
} from '../../support/service/api-client.ts';
import { expectData, expectError } from '../../support/service/envelope.ts';
import { runCommand } from '../../support/service/service-process.ts';
import { withService } from '../../support/service/with-service.ts';
import { openTemporal, runScheduled } from '../../support/service/temporal-client.ts';
import { withOpened } from '../../support/with-opened.ts';
import { startOf, workflowIdOf } from '../../../workflows/contract.ts';

/**
 * The operator deletes Leaving, whose contract has ended. Staying has the same kind of data: a bill of 250 in January, 500 orders,
 * and so 0.5 an order. It is 7 February 2026.
 */
interface Tenant {
  id: string;
  secret: string;
  admin: Api;
}

const cluster = withOpened(() =>
  startFakeOpenCost({
    allocations: { '2026-02-06': [allocation(['prod', 'shop', 'deployment', 'api'], 2.5)] },
    assets: { '2026-02-06': node('prod', 'i-1', 4) },
  }),
);
const receiver = withOpened(newReceiver);
let target: string;
let leaving: Tenant;
let staying: Tenant & { metric: string };

const operate = (...command: string[]) =>
  runCommand(command, { DATA_DIR: service.dataDir, COST_ANALYTICS_URL: service.url });

/** Makes an organisation with a bill of 250, 500 orders, and a locked January. Returns its metric. */
async function makeTenant(name: string): Promise<Tenant & { metric: string }> {
  const tenant = await newOrganisation(service, { name });
  const folder = join(service.dataDir, 'exports', tenant.id);
  await mkdir(folder, { recursive: true });
  await writeFile(
    join(folder, 'bill.csv'),
    focusCsv([dayLine('2026-01-05', '200'), dayLine('2026-01-31', '50')]),
  );
  await newIngestedSource(tenant.admin, { name: 'AWS', kind: 'focus', location: 'bill.csv', options: {} });
  const metric = await createMetric(tenant.admin, {}, [{ period: '2026-01-05', value: 500 }]);
  expectData(await tenant.admin.post(`/metrics/${metric}/months/2026-01/lock`));
  await runScheduled(temporal, `export/${tenant.id}`);
  return { ...tenant, metric };
}

const numbersOf = async ({ admin, metric }: Tenant & { metric: string }) => ({
  months: expectData(await admin.get(`/metrics/${metric}/months`)),
  costs: expectData(await admin.get('/costs?start_date=2026-01-01&end_date=2026-01-31')),
  audit: expectData(await admin.get('/audit-log')),
});

async function schedulesOf(orgId: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { scheduleId } of temporal.client.schedule.list())
    if (scheduleId.includes(orgId)) found.push(scheduleId);
  return found.sort();
}

async function runningOf(orgId: string): Promise<string[]> {
  const found: string[] = [];
  const query = `Organisation = '${orgId}' AND ExecutionStatus = 'Running'`;
  for await (const { type } of temporal.client.workflow.list({ query })) found.push(type);
  return found.sort();
}

const service = withService((dataDir) => {
  target = join(dataDir, 'nightly');
  return {
    CLOCK: '2026-02-07T06:00:00Z',
    PRIVATE_TARGETS: '127.0.0.1',
    SOURCE_ROOTS: '',
    EXPORT_TO: target,
  };
});

const temporal = withOpened(() => openTemporal(service.dataDir));

beforeAll(async () => {
  leaving = await makeTenant('Leaving');
  staying = await makeTenant('Staying');
});

describe('org delete', () => {
  it('shows what it would delete, and deletes nothing without --yes', async () => {
    const asked = await operate('org', 'delete', '--id', leaving.id);
    expect(asked).toMatchObject({ code: 1, stdout: '' });
    expect(asked.stderr).toBe(
      `cost-analytics: would delete ${leaving.id} "Leaving" (enterprise) with all its data, for good:\n` +
        '1 key, 1 cost source, 1 metric, 1 locked month\n' +
        'nothing is deleted yet: add --yes to delete it\n',
    );
    expectData(await leaving.admin.get('/organisation'));
  });

  it('ends keys, sessions, schedules and running work, removes data and files, and leaves others as they are', async () => {
    const before = await numbersOf(staying);
    expect(before.costs).toMatchObject({ total: 250 });
    expect(before.months).toContainEqual(
      expect.objectContaining({ month: '2026-01', status: 'locked', cost: 250, unit_cost: 0.5 }),
    );
    const { page } = await signIn(service, leaving.secret);
    expectData(await page.get('/organisation'));
    // An ingest that cannot end, and a delivery that is retried for days.
    let asked = false;
    cluster.instead = () => {
      asked = true;
      return { status: 503, body: 'away' };
    };
    const source = await create(leaving.admin, '/cost-sources', {
      name: 'Cluster',
      kind: 'opencost',
      location: cluster.url,
    });
    expectData(await leaving.admin.post(`/cost-sources/${source}/ingest`, {}));
    await waitFor(() => Promise.resolve(asked ? true : undefined));
    receiver.answer((response) => response.writeHead(500).end());
    const hook = expectData(await leaving.admin.post<{ id: string }>('/webhooks', { url: receiver.url }));
    expectData(await leaving.admin.post(`/webhooks/${hook.id}/test`));
    await waitFor(() => Promise.resolve(receiver.received.length > 0 ? true : undefined));
    // Temporal lists a schedule a moment later.
    const schedules = await waitFor(async () => {
      const found = await schedulesOf(leaving.id);
      return found.length === 4 ? found : undefined;
    });
    await waitFor(async () =>
      (await runningOf(leaving.id)).join() === 'deliverWebhook,ingestCosts' ? true : undefined,
    );
    expect(await readdir(join(target, leaving.id))).not.toEqual([]);

    expect(await operate('org', 'delete', '--id', leaving.id, '--yes')).toEqual({
      code: 0,
      stdout: `deleted ${leaving.id}; backups made before still have its data\n`,
      stderr: '',
    });
    expectError(await leaving.admin.get('/organisation'), 401, /this API key is not valid/);
    expectError(await page.get('/organisation'), 401, /its key no longer exists/);
    for (const schedule of schedules)
      await expect(temporal.client.schedule.getHandle(schedule).describe()).rejects.toThrow(/not found/i);
    await waitFor(async () => ((await schedulesOf(leaving.id)).length === 0 ? true : undefined));
    await waitFor(async () => ((await runningOf(leaving.id)).length === 0 ? true : undefined));
    expect(await readdir(join(service.dataDir, 'exports'))).toEqual([staying.id]);
    expect(await readdir(target)).toEqual([staying.id]);
    const list = await operate('org', 'list');
    expect(list.stdout).toContain('Staying');
    expect(list.stdout).not.toContain('Leaving');

    expect(await numbersOf(staying)).toEqual(before);
    expect(await schedulesOf(staying.id)).toHaveLength(3);
    await runScheduled(temporal, `export/${staying.id}`);
  });

  it('lets nothing run for it any more, and the log has no error about it', async () => {
    const input = { orgId: leaving.id };
    const started = await temporal.client.workflow.start('settleMonths', {
      ...startOf('settleMonths', input),
      workflowId: `${workflowIdOf('settleMonths', input)}-by-hand`,
    });
    await expect(started.result()).rejects.toThrow(WorkflowFailedError);
    const lines = service
      .logs()
      .split('\n')
      .filter((line) => line.includes(leaving.id) && /"level":"(error|fatal)"/.test(line));
    expect(lines).toEqual([]);
    expect(service.logs()).toContain('"msg":"an organisation is deleted"');
  });

  it('can be run again, says who deleted it and when, and its name is free', async () => {
    expect(await operate('org', 'delete', '--id', leaving.id, '--yes', '--json')).toMatchObject({ code: 0 });
    expect((await operate('org', 'deletions')).stdout).toBe(
      `${leaving.id}  by operator  at 2026-02-07T06:00:00.000Z  complete at 2026-02-07T06:00:00.000Z\n`,
    );
    const again = await operate('org', 'delete', '--id', leaving.id);
    expect(again).toMatchObject({ code: 1 });
    expect(again.stderr).toContain(leaving.id);
    const create = ['org', 'create', '--name', 'Leaving', '--currency', 'EUR', '--json'];
    const made = JSON.parse((await operate(...create)).stdout) as {
      organisation: { id: string };
      key: { secret: string };
    };
    expect(made.organisation.id).not.toBe(leaving.id);
    expect(expectData(await as(service, made.key.secret).get('/cost-sources?limit=1'))).toEqual([]);
  });
});
