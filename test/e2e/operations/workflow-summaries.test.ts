import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { workflowIdOf } from '../../../workflows/contract.ts';
import { WAIT_MS } from '../../support/patience.ts';
import { dayLine, focusCsv } from '../../support/exports/focus-export.ts';
import { create } from '../../support/service/create.ts';
import { asOperator, ingest, newOrganisation, waitFor, type Api } from '../../support/service/api-client.ts';
import { expectData } from '../../support/service/envelope.ts';
import { withService } from '../../support/service/with-service.ts';
import { openTemporal, runScheduled, type TemporalWindow } from '../../support/service/temporal-client.ts';

/** What Temporal shows of a workflow without opening it: its names and its source. Each test continues the story. */
const service = withService({ CLOCK: '2026-02-07T06:00:00Z' });
let temporal: TemporalWindow;
let acme: { id: string; admin: Api };
let sourceId: string;

beforeAll(async () => {
  temporal = await openTemporal(service.dataDir);
  acme = await newOrganisation(service, { name: 'Acme' });
  const location = join(service.dataDir, 'bill.csv');
  await writeFile(location, focusCsv([dayLine('2026-01-15', '640.25')]));
  const source = { name: 'AWS', kind: 'focus', location };
  sourceId = await create(acme.admin, '/cost-sources', source);
});

afterAll(() => temporal.close());

async function summaryOf(workflowId: string): Promise<string | undefined> {
  const described = await temporal.client.workflow.getHandle(workflowId).describe();
  return described.staticSummary();
}

it('an ingest has the names of its source and organisation and its months, and is found by its source', async () => {
  const id = workflowIdOf('ingestCosts', { orgId: acme.id, sourceId, startMonth: null, endMonth: null });
  await ingest(acme.admin, sourceId, { start_month: '2026-01', end_month: '2026-01' });
  expect(await summaryOf(id)).toBe('AWS of Acme, 2026-01');
  // The daily one reads all months. Its schedule starts another workflow, which starts the ingest.
  expectData(await acme.admin.patch(`/cost-sources/${sourceId}`, { name: 'Amazon' }));
  await runScheduled(temporal, id);
  expect(await summaryOf(id)).toBe('Amazon of Acme');
  const found = async (): Promise<string[]> => {
    const types = [];
    for await (const { type } of temporal.client.workflow.list({ query: `Source = '${sourceId}'` }))
      types.push(type);
    return types.sort();
  };
  // The list follows what has run with a delay.
  await expect
    .poll(found, { timeout: WAIT_MS })
    .toEqual(['ingestCosts', 'ingestCosts', 'ingestCostsOnSchedule']);
});

it('a settlement has the name that its organisation had at the last start', async () => {
  const schedule = `settle/${acme.id}`;
  const newest = async (): Promise<string> => {
    await runScheduled(temporal, schedule);
    const { info } = await temporal.client.schedule.getHandle(schedule).describe();
    return info.recentActions.at(-1)?.action.workflow.workflowId ?? '';
  };
  expectData(await (await asOperator(service)).patch(`/organisations/${acme.id}`, { name: 'Acme Europe' }));
  await temporal.client.schedule.getHandle(schedule).pause('by an operator');
  await temporal.close();
  await service.stop();
  await service.start();
  temporal = await openTemporal(service.dataDir);
  const { state } = await waitFor(async () => {
    // The start makes the schedule anew.
    const found = await temporal.client.schedule
      .getHandle(schedule)
      .describe()
      .catch(() => null);
    return found?.action.staticSummary === 'Acme Europe' ? found : undefined;
  });
  expect(await summaryOf(await newest())).toBe('Acme Europe');
  expect(state).toMatchObject({ paused: true, note: 'by an operator' });
});
