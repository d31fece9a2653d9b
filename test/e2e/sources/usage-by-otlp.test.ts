import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OTLPMetricExporter as JsonExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPMetricExporter as ProtobufExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  MeterProvider,
  PeriodicExportingMetricReader,
  type PushMetricExporter,
} from '@opentelemetry/sdk-metrics';
import { describe, expect, it } from 'vitest';
import { addDays, dayOf } from '../../../domain/shared/calendar.ts';
import { as, ingest, newOrganisation } from '../../support/service/api-client.ts';
import { create } from '../../support/service/create.ts';
import { expectData } from '../../support/service/envelope.ts';
import { withService } from '../../support/service/with-service.ts';

/**
 * Usage by OpenTelemetry, sent by the exporters that Claude Code has, with the clock of the machine. The tool costs 40 USD on each of
 * three days. The points all fall on one of them.
 */
const service = withService();

/** Counts costs like Claude Code, and exports them each time. Fails if the service does not take them. */
function newTool(repository: string, exporter: PushMetricExporter) {
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
  const meters = new MeterProvider({
    resource: resourceFromAttributes({ repository: `https://github.com/acme/${repository}.git` }),
    readers: [reader],
  });
  const cost = meters.getMeter('com.anthropic.claude_code').createCounter('claude_code.cost.usage');
  return {
    use: async (usd: number): Promise<void> => {
      cost.add(usd, { 'session.id': `session of ${repository}`, model: 'claude-sonnet-5' });
      await meters.forceFlush();
    },
    end: () => meters.shutdown(),
  };
}

describe('a source whose usage programs send', () => {
  it('divides its spend by it, in protobuf and JSON, delta and cumulative, also after a crash', async () => {
    const { id, secret: adminSecret, admin } = await newOrganisation(service);
    const today = dayOf(new Date());
    const days = [-1, 0, 1].map((offset) => addDays(today, offset));
    const folder = join(service.dataDir, 'exports', id, 'claude');
    await mkdir(folder, { recursive: true });
    const lines = days.map((day) => `${day},claude-code,40\n`);
    await writeFile(join(folder, 'spend.csv'), `day,tool,cost\n${lines.join('')}`);
    const source = await create(admin, '/cost-sources', {
      name: 'Claude Code',
      kind: 'ai_tools',
      location: folder,
      options: { repository_attribute: 'repository' },
    });
    const { secret } = expectData(
      await admin.post<{ secret: string }>('/keys', { name: 'Claude Code', permission: 'usage:ingest' }),
    );
    const settings = {
      url: `${service.url}/api/v1/otlp/v1/metrics?source=${source}`,
      headers: { authorization: `Bearer ${secret}` },
    };
    const web = newTool(
      'web',
      new ProtobufExporter({ ...settings, temporalityPreference: AggregationTemporality.DELTA }),
    );
    const api = newTool(
      'api',
      new JsonExporter({ ...settings, temporalityPreference: AggregationTemporality.CUMULATIVE }),
    );
    // web: 1 + 5 = 6. api: first 1, then 2 in all.
    await web.use(1);
    await api.use(1);
    await web.use(5);
    await api.use(1);
    await Promise.all([web.end(), api.end()]);
    await service.kill();
    await service.start();
    const restarted = as(service, adminSecret);
    const run = await ingest(restarted, source);
    expect(run).toMatchObject({ status: 'completed', error: null });
    const { body } = await restarted.get<{ repository: string | null; total: number }[]>(
      `/costs/breakdown?start_date=${days[0] ?? ''}&end_date=${days[2] ?? ''}&group_by=repository`,
    );
    const totalOf = (name: string): number =>
      body.data.find(({ repository }) => repository === `github.com/acme/${name}`)?.total ?? 0;
    expect([totalOf('web'), totalOf('api')]).toEqual([30, 10]);
  });
});
