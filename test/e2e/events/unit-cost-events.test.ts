import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Webhook as Verifier } from 'standardwebhooks';
import { WorkflowNotFoundError } from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import { addDays, type Day } from '../../../domain/shared/calendar.ts';
import { workflowIdOf } from '../../../workflows/contract.ts';
import { create, createMetric, ORDERS } from '../../support/service/create.ts';
import { as, ingest, newOrganisation, waitFor, type Api } from '../../support/service/api-client.ts';
import { expectData, expectError, expectPage } from '../../support/service/envelope.ts';
import { dayLine, focusCsv } from '../../support/exports/focus-export.ts';
import { withService } from '../../support/service/with-service.ts';
import { openTemporal, type TemporalWindow } from '../../support/service/temporal-client.ts';
import { newReceiver, type WebhookReceiver } from '../../support/fakes/webhook-receiver.ts';
import { THOROUGH } from '../../support/effort.ts';

/** `unit_cost.changed` from a changed number to the endpoint. The time is 7 February 2026. */

const SETTINGS = { CLOCK: '2026-02-07T06:00:00Z', PRIVATE_TARGETS: '127.0.0.1', WEBHOOK_TIMEOUT: '1' };

interface Payload {
  type: string;
  timestamp: string;
  data: { metric_id: string; reason: string; period: string; unit_cost: number };
}

const service = withService(SETTINGS);

/** Makes an organisation with a webhook, and a bill of 10 a day from 1 January to 6 February. The last day costs `last`. */
async function newStory(last = '10') {
  const organisation = await newOrganisation(service);
  const { admin } = organisation;
  const receiver = await newReceiver();
  const webhook = expectData(
    await admin.post<{ id: string; secret: string }>('/webhooks', { url: receiver.url }),
  );
  const location = join(service.dataDir, 'exports', `${organisation.id}.csv`);
  const days: Day[] = [];
  for (let day = '2026-01-01'; day <= '2026-02-06'; day = addDays(day, 1)) days.push(day);
  const bill = (cost: string) =>
    writeFile(location, focusCsv(days.map((day) => dayLine(day, day === '2026-02-06' ? cost : '10'))));
  await bill(last);
  const source = { name: 'Bill', kind: 'focus', location };
  const sourceId = await create(admin, '/cost-sources', source);
  return { ...organisation, receiver, webhook, sourceId, days, bill };
}

/** Returns the verified payloads that have arrived so far. */
const arrived = (receiver: WebhookReceiver, secret: string): Payload[] =>
  receiver.received.map(
    ({ body, headers }) => new Verifier(secret).verify(body, headers as Record<string, string>) as Payload,
  );

const untilArrived = (receiver: WebhookReceiver, secret: string, count: number): Promise<Payload[]> =>
  waitFor(async () => {
    const payloads = arrived(receiver, secret);
    return payloads.length >= count ? payloads : undefined;
  });

/** Returns the newest evaluation of an organisation's events. Each change of numbers starts or extends one. */
async function evaluationOf(
  { client }: TemporalWindow,
  orgId: string,
): Promise<{ at: string; isRunning: boolean }> {
  try {
    const { runId, historyLength, status } = await client.workflow
      .getHandle(workflowIdOf('raiseEvents', { orgId }))
      .describe();
    return { at: `${runId} ${historyLength}`, isRunning: status.name === 'RUNNING' };
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
    return { at: 'never', isRunning: false };
  }
}

/** Changes numbers, and waits until their evaluation has ended. */
async function evaluated(orgId: string, change: () => Promise<unknown>): Promise<void> {
  const temporal = await openTemporal(service.dataDir);
  const untilEndedAfter = (at: string | null): Promise<string> =>
    waitFor(async () => {
      const now = await evaluationOf(temporal, orgId);
      return now.isRunning || now.at === at ? undefined : now.at;
    });
  const before = await untilEndedAfter(null);
  await change();
  await untilEndedAfter(before);
  await temporal.close();
}

describe('unit_cost.changed', () => {
  it('is sent once for a month that rises above its target after a value is written', async () => {
    const { id, admin, receiver, webhook, sourceId } = await newStory();
    await ingest(admin, sourceId);
    const metric = await createMetric(admin, { target: 2 });
    const write = (value: number) =>
      admin.post(`/metrics/${metric}/values`, { values: [{ period: '2026-01-15', value }] });
    // January costs 310.
    expectData(await write(124));
    const [payload] = await untilArrived(receiver, webhook.secret, 1);
    expect(payload).toEqual({
      type: 'unit_cost.changed',
      timestamp: '2026-02-07T06:00:00.000Z',
      data: {
        metric_id: metric,
        metric_name: 'Orders',
        reason: 'above_target',
        period: '2026-01',
        unit_cost: 2.5,
        target: 2,
        currency: 'USD',
        unit: 'order',
      },
    });
    await evaluated(id, async () => expectData(await write(100))); // further above
    await evaluated(id, async () => expectData(await write(310))); // 1: below
    await evaluated(id, async () =>
      expectData(
        await admin.send('PUT', `/metrics/${metric}/values/2026-01-15`, {
          headers: { 'content-type': 'application/json' },
          body: '{"value":62}',
        }),
      ),
    );
    const payloads = await untilArrived(receiver, webhook.secret, 2);
    expect(payloads.map(({ data }) => data.unit_cost)).toEqual([2.5, 5]);
    expect(receiver.received).toHaveLength(2);
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).toBe(2);
    await receiver.close();
  });

  it('is sent once for a day that an ingest makes rise', async () => {
    const { id, admin, receiver, webhook, sourceId, days, bill } = await newStory();
    await evaluated(id, () => ingest(admin, sourceId));
    const metric = await createMetric(admin);
    const values = days.map((period) => ({ period, value: 5 }));
    await evaluated(id, async () => expectData(await admin.post(`/metrics/${metric}/values`, { values })));
    expect(receiver.received).toEqual([]);
    await bill('15');
    await ingest(admin, sourceId);
    const [payload] = await untilArrived(receiver, webhook.secret, 1);
    expect(payload?.data).toEqual({
      metric_id: metric,
      metric_name: 'Orders',
      reason: 'daily_rise',
      period: '2026-02-06',
      unit_cost: 3,
      expected: 2,
      currency: 'USD',
      unit: 'order',
    });
    await bill('20');
    await evaluated(id, () => ingest(admin, sourceId));
    expect(receiver.received).toHaveLength(1);
    await receiver.close();
  });

  it('lets a metric set the limits of a rise, or turn it off', async () => {
    const { admin } = await newStory();
    const { id, rise } = expectData(await admin.post<{ id: string; rise: object }>('/metrics', ORDERS));
    expect(rise).toEqual({ percent: 20, deviations: 4 });
    const rule = { percent: 50, deviations: 6 };
    expect(expectData(await admin.patch(`/metrics/${id}`, { rise: rule }))).toMatchObject({ rise: rule });
    expect(expectData(await admin.patch(`/metrics/${id}`, { rise: null }))).toMatchObject({ rise: null });
    expect(expectData(await admin.get(`/metrics/${id}`))).toMatchObject({ rise: null });
    for (const wrong of [{ percent: 20 }, { percent: -1, deviations: 4 }, 20, { ...rule, colour: 1 }])
      expectError(await admin.patch(`/metrics/${id}`, { rise: wrong }), 400, /^rise/);
    const monthly = { ...ORDERS, name: 'Orders of a month', frequency: 'monthly' };
    expect(expectData(await admin.post('/metrics', monthly))).toMatchObject({ rise: null });
    expectError(await admin.post('/metrics', { ...monthly, rise: rule }), 400, /^rise: .*monthly/);
  });

  it.runIf(THOROUGH)(
    'is not lost if the service is killed after a write, and always has the same id',
    async () => {
      const story = await newStory();
      const { receiver, webhook } = story;
      let admin: Api = story.admin;
      await ingest(admin, story.sourceId);
      const metrics: string[] = [];
      for (let index = 0; index < 4; index++) {
        metrics.push(await createMetric(admin, { name: `Metric ${index}`, target: 2 }));
      }
      receiver.answer((response) => response.writeHead(500).end());
      const deliveriesOf = async () =>
        expectPage(
          await admin.get<{ status: string; event_id: string }[]>(`/webhooks/${webhook.id}/deliveries`),
        ).items;
      const evaluationNow = async (): Promise<string> => {
        const temporal = await openTemporal(service.dataDir);
        return (await evaluationOf(temporal, story.id).finally(() => temporal.close())).at;
      };
      /** Each kill comes at another moment: after the write, at the evaluation, once a delivery exists, during the delivery. */
      const moments: ((metric: string, before: string) => Promise<boolean>)[] = [
        () => Promise.resolve(true),
        async (_metric, before) => (await evaluationNow()) !== before,
        async () => (await deliveriesOf()).length > 2,
        (metric) => Promise.resolve(receiver.received.some(({ body }) => body.includes(metric))),
      ];
      for (const [index, metric] of metrics.entries()) {
        const before = await evaluationNow();
        expectData(
          await admin.post(`/metrics/${metric}/values`, { values: [{ period: '2026-01-15', value: 100 }] }),
        );
        await waitFor(async () => ((await moments[index]?.(metric, before)) === true ? true : undefined));
        await service.kill();
        await service.start();
        admin = as(service, story.secret);
      }
      receiver.answer((response) => response.end());
      const deliveries = await waitFor(async () => {
        const items = await deliveriesOf();
        return items.length === 4 && items.every(({ status }) => status === 'delivered') ? items : undefined;
      });
      const ids = new Map<string, Set<unknown>>();
      for (const { headers, body } of receiver.received) {
        const { metric_id } = (JSON.parse(body) as Payload).data;
        ids.set(metric_id, (ids.get(metric_id) ?? new Set()).add(headers['webhook-id']));
      }
      expect([...ids.keys()].sort()).toEqual([...metrics].sort());
      expect([...ids.values()].map(({ size }) => size)).toEqual([1, 1, 1, 1]);
      expect(new Set(deliveries.map(({ event_id }) => event_id)).size).toBe(4);
      await receiver.close();
    },
    180_000,
  );
});
