import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ingestWorkflowId } from '../../../domain/sources/ingest.ts';
import { create } from '../../support/service/create.ts';
import {
  as,
  ingest,
  newOrganisation,
  waitFor,
  type Api,
  type Run,
} from '../../support/service/api-client.ts';
import { damageSqlite } from '../../support/fakes/damage-sqlite.ts';
import { expectData, expectPage } from '../../support/service/envelope.ts';
import { allocation, node, startFakeOpenCost } from '../../support/fakes/fake-opencost.ts';
import { copyProduct } from '../../support/service/service-process.ts';
import { withService } from '../../support/service/with-service.ts';
import { openTemporal, type TemporalWindow } from '../../support/service/temporal-client.ts';
import { newReceiver } from '../../support/fakes/webhook-receiver.ts';
import { withOpened } from '../../support/with-opened.ts';
import { THOROUGH } from '../../support/effort.ts';

/** Work that Temporal has ended or lost fails visibly, and later work goes on, without an operator. */
const SETTINGS = { CLOCK: '2026-02-07T06:00:00Z', PRIVATE_TARGETS: '127.0.0.1' };

const cluster = withOpened(() =>
  startFakeOpenCost({
    allocations: { '2026-02-06': [allocation(['prod', 'shop', 'deployment', 'api'], 2.5)] },
    assets: { '2026-02-06': node('prod', 'i-1', 4) },
  }),
);
const service = withService(SETTINGS);
let temporal: TemporalWindow;
let organisation: { id: string; secret: string; admin: Api };
let source: string;

beforeAll(async () => {
  temporal = await openTemporal(service.dataDir);
});
afterAll(() => temporal.close());
beforeEach(async () => {
  organisation = await newOrganisation(service);
  const made = { name: 'Cluster', kind: 'opencost', location: cluster.url };
  source = await create(organisation.admin, '/cost-sources', made);
});

const runsOf = async (admin: Api): Promise<Run[]> =>
  expectPage(await admin.get<Run[]>(`/cost-sources/${source}/runs`)).items;

const ended = (admin: Api, runId: string): Promise<Run> =>
  waitFor(async () =>
    (await runsOf(admin)).find(({ run_id, status }) => run_id === runId && status !== 'running'),
  );

/** Starts an ingest that cannot end, because its cluster is away. */
async function startEndless(): Promise<string> {
  let asked = false;
  cluster.instead = () => {
    asked = true;
    return { status: 503, body: 'away' };
  };
  const { run_id } = expectData(
    await organisation.admin.post<{ run_id: string }>(`/cost-sources/${source}/ingest`, {}),
  );
  await waitFor(async () => (asked ? true : undefined));
  return run_id;
}

describe.runIf(THOROUGH)('a run', () => {
  it('whose workflow is terminated fails within a minute, and a new one can start', async () => {
    const run = await startEndless();
    const handle = temporal.client.workflow.getHandle(ingestWorkflowId(organisation.id, source));
    await handle.terminate('the cluster is gone');
    // The test does not request the list of runs.
    const failed = await waitFor(async () => {
      const { last_run: last } = expectData(
        await organisation.admin.get<{ last_run: Run }>(`/cost-sources/${source}`),
      );
      return last.status === 'running' ? undefined : last;
    });
    expect(failed).toMatchObject({
      run_id: run,
      status: 'failed',
      finished_at: '2026-02-07T06:00:00.000Z',
    });
    expect(failed.error).toMatch(
      /^the workflow has ended without a result: terminated \(the cluster is gone\)/,
    );
    cluster.instead = null;
    expect(await ingest(organisation.admin, source)).toMatchObject({ status: 'completed' });
    // The recorded end is final, and no other run has started.
    expect((await runsOf(organisation.admin)).map(({ status }) => status)).toEqual(['completed', 'failed']);
  });

  it('continues after Temporal did not answer for a while', async () => {
    const run = await startEndless();
    const before = service.logs().length;
    process.kill(temporal.pid, 'SIGSTOP');
    try {
      await waitFor(
        async () =>
          service.logs().slice(before).includes('the runs could not be compared with Temporal') || undefined,
      );
    } finally {
      process.kill(temporal.pid, 'SIGCONT');
    }
    cluster.instead = null;
    expect(await ended(organisation.admin, run)).toMatchObject({ status: 'completed' });
  });
});

describe.runIf(THOROUGH)('a run that an upgrade cannot continue', () => {
  /** Makes a build whose ingest begins with another step. */
  const upgrade = async (): Promise<string> => {
    const product = join(service.dataDir, 'upgraded');
    await copyProduct(product);
    const bundle = join(product, 'dist/workflows/bundle.js');
    const code = await readFile(bundle, 'utf8');
    const upgraded = code.replace('openRun)(run)', 'settleOrganisation)(input.orgId)');
    expect(upgraded).not.toBe(code);
    await writeFile(bundle, upgraded);
    return product;
  };

  const restart = async (product?: string): Promise<void> => {
    await temporal.close();
    await service.stop();
    await service.start(SETTINGS, product);
    temporal = await openTemporal(service.dataDir);
  };

  it('fails within a minute, and a new one can start', async () => {
    const run = await startEndless();
    await restart(await upgrade());
    cluster.instead = null;
    const admin = as(service, organisation.secret);
    const failed = await ended(admin, run);
    expect(failed.status).toBe('failed');
    expect(failed.error).toMatch(/^the workflow has ended without a result: failed \(.*Nondeterminism/);
    await restart();
    expect(await ingest(as(service, organisation.secret), source)).toMatchObject({ status: 'completed' });
  });
});

/** Returns the files of databases that were set aside, with the files beside them. */
const filesSetAside = async (): Promise<string[]> =>
  (await readdir(service.dataDir)).filter((name) => name.startsWith('temporal.db.unreadable-')).sort();

describe.runIf(THOROUGH)('a temporal.db that cannot be read', () => {
  const unreadable = async (database: string): Promise<void> => {
    await writeFile(database, 'no database '.repeat(10_000));
    for (const suffix of ['-wal', '-shm']) await rm(database + suffix, { force: true });
  };

  const damages: [string, (database: string) => Promise<void>][] = [
    ['is not a database', unreadable],
    // Temporal can start without this table.
    ['has lost a table', (database) => damageSqlite(database, 'executions')],
  ];
  it.each(damages)(
    'because it %s is replaced, and schedules, runs and deliveries come back',
    async (_why, damage) => {
      const paused = { name: 'Paused', kind: 'opencost', location: cluster.url, schedule_paused: true };
      const pausedSource = await create(organisation.admin, '/cost-sources', paused);
      const receiver = await newReceiver();
      receiver.answer((response) => response.writeHead(500).end());
      const hook = expectData(
        await organisation.admin.post<{ id: string }>('/webhooks', { url: receiver.url }),
      );
      const { event_id } = expectData(
        await organisation.admin.post<{ event_id: string }>(`/webhooks/${hook.id}/test`),
      );
      await waitFor(async () => (receiver.received.length > 0 ? true : undefined));
      const run = await startEndless();

      await temporal.close();
      await service.kill();
      const database = join(service.dataDir, 'temporal.db');
      const before = await filesSetAside();
      await damage(database);
      cluster.instead = null;
      receiver.answer((response) => response.end());
      await service.start();
      temporal = await openTemporal(service.dataDir);

      expect(await filesSetAside()).not.toEqual(before);
      expect(service.logs().match(/its database cannot be read and was set aside/g)).toHaveLength(1);

      const admin = as(service, organisation.secret);
      const lost = await ended(admin, run);
      expect(lost).toMatchObject({
        status: 'failed',
        error: 'Temporal no longer knows the workflow; the source is read again',
      });
      const again = await waitFor(async () =>
        (await runsOf(admin)).find(({ status }) => status === 'completed'),
      );
      expect((await runsOf(admin)).map(({ run_id }) => run_id)).toEqual([again.run_id, run]);

      await waitFor(async () => {
        const { items } = expectPage(
          await admin.get<{ event_id: string; status: string }[]>(`/webhooks/${hook.id}/deliveries`),
        );
        return items.some((each) => each.event_id === event_id && each.status === 'delivered') || undefined;
      });
      const wanted = [
        ['maintain-warehouse', false],
        [`settle/${organisation.id}`, false],
        [ingestWorkflowId(organisation.id, source), false],
        [ingestWorkflowId(organisation.id, pausedSource), true],
      ];
      await waitFor(async () => {
        const found: unknown[] = [];
        for await (const { scheduleId, state } of temporal.client.schedule.list())
          found.push(JSON.stringify([scheduleId, state.paused]));
        return wanted.every((each) => found.includes(JSON.stringify(each))) || undefined;
      });
      await receiver.close();
    },
  );

  it('because of damage found later ends the service, and is replaced at the next start', async () => {
    await temporal.close();
    await service.stop();
    const before = await filesSetAside();
    // Only a new workflow needs this index.
    await damageSqlite(join(service.dataDir, 'temporal.db'), 'by_workflow_id', 'executions_visibility');
    await service.start();
    // A new organisation starts a workflow. The service may end before it answers.
    await newOrganisation(service).catch((error: unknown) => error);
    expect(await service.exited).toBe(1);
    expect(service.logs()).toMatch(
      /"the Temporal server cannot continue"[^]*cost-analytics: Temporal's database .*temporal\.db is damaged \(database disk image is malformed \(11\)\); start the service again/,
    );
    expect(await filesSetAside()).toEqual(before);

    await service.start();
    temporal = await openTemporal(service.dataDir);
    expect(await filesSetAside()).not.toEqual(before);
    expect(service.logs().match(/its database cannot be read and was set aside/g)).toHaveLength(1);
    cluster.instead = null;
    expect(await ingest(as(service, organisation.secret), source)).toMatchObject({ status: 'completed' });
  });
});
