import { expect, it } from 'vitest';
import { ingestWorkflowId } from '../../../domain/sources/ingest.ts';
import { THOROUGH } from '../../support/effort.ts';
import { allocation, node, startFakeOpenCost } from '../../support/fakes/fake-opencost.ts';
import { listenLocally } from '../../support/fakes/file-server.ts';
import { create } from '../../support/service/create.ts';
import { as, newOrganisation, waitFor, type Api, type Run } from '../../support/service/api-client.ts';
import { expectData, expectPage } from '../../support/service/envelope.ts';
import { withService } from '../../support/service/with-service.ts';
import { openTemporal } from '../../support/service/temporal-client.ts';
import { withOpened } from '../../support/with-opened.ts';

/** A step that ends its process each time, beside a sound one that was under way when the process ended first. */
const ENVIRONMENT = { CLOCK: '2026-02-07T06:00:00Z', PRIVATE_TARGETS: '127.0.0.1' };

const cluster = withOpened(() =>
  startFakeOpenCost({
    allocations: { '2026-02-06': [allocation(['prod', 'shop', 'deployment', 'api'], 2.5)] },
    assets: { '2026-02-06': node('prod', 'i-1', 4) },
  }),
);
/** Answers nothing while it is `stuck`, and then as the cluster does. */
const gate = withOpened(() =>
  listenLocally((_request, response, { pathname, search }) => {
    if (stuck) return;
    void fetch(`${cluster.url}${pathname}${search}`).then(async (answer) => {
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
    });
  }),
);
let stuck = true;
const silent = withOpened(() => listenLocally(() => undefined));
const service = withService(ENVIRONMENT);

interface Ingest {
  org: string;
  source: string;
  secret: string;
}

/** Each attempt after the end of a process is a step of its own, for Temporal. */
interface Step {
  id: string | null | undefined;
  queue: string | null | undefined;
}

async function startIngest(location: string): Promise<Ingest> {
  const { id, secret, admin } = await newOrganisation(service);
  const made = { name: 'Cluster', kind: 'opencost', location };
  const source = await create(admin, '/cost-sources', made);
  expectData(await admin.post(`/cost-sources/${source}/ingest`, {}));
  return { org: id, source, secret };
}

/** Returns the step that an ingest has under way, with its queue; undefined while it has none, or none after the step `last`. */
async function underWay({ org, source }: Ingest, last?: Step): Promise<Step | undefined> {
  const temporal = await openTemporal(service.dataDir);
  try {
    const { raw } = await temporal.client.workflow.getHandle(ingestWorkflowId(org, source)).describe();
    const [step] = raw.pendingActivities ?? [];
    if (!step?.lastHeartbeatTime || step.activityId === last?.id) return undefined;
    return { id: step.activityId, queue: step.activityOptions?.taskQueue?.name };
  } finally {
    await temporal.close();
  }
}

async function runOf({ source, secret }: Ingest): Promise<Run> {
  const api: Api = as(service, secret);
  const [run] = expectPage(await api.get<Run[]>(`/cost-sources/${source}/runs`)).items;
  if (run === undefined) throw new Error('expected a run');
  return run;
}

const ended = (one: Ingest): Promise<Run> =>
  waitFor(async () => {
    const run = await runOf(one);
    return run.status === 'running' ? undefined : run;
  });

async function restart(): Promise<void> {
  await service.kill();
  await service.start();
}

it.runIf(THOROUGH)('is set aside with a reason the third time, and a sound one goes on', async () => {
  const deadly = await startIngest(silent.url);
  const sound = await startIngest(gate.url);
  const usual = { queue: 'cost-analytics' };
  expect(await waitFor(() => underWay(sound))).toMatchObject(usual);
  let step = await waitFor(() => underWay(deadly));
  expect(step).toMatchObject(usual);
  stuck = false;
  await restart();
  for (let time = 2; time <= 3; time += 1) {
    // The deadly step is alone now. The sound one is never under way beside it, so that it does not end with it.
    step = await waitFor(() => underWay(deadly, step));
    expect(step).toMatchObject({ queue: 'cost-analytics-alone' });
    await restart();
  }
  expect(await ended(deadly)).toMatchObject({
    status: 'failed',
    error: expect.stringMatching(
      /^the service has ended 3 times, or hung, during the step loadExport, so that it was set aside; ask the operator/,
    ) as string,
  });
  expect(await ended(sound)).toMatchObject({ status: 'completed', cost_total: 2.5 });
  expect(service.logs()).toMatch(/"msg":"failed for good"/);
});
