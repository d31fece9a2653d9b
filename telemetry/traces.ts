import { setTimeout as sleep } from 'node:timers/promises';
import { context, diag, DiagLogLevel, propagation, trace, type Tracer } from '@opentelemetry/api';
import { parseKeyPairsIntoRecord, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import {
  makeWorkflowExporter,
  OpenTelemetryActivityInboundInterceptor,
  OpenTelemetryWorkflowClientInterceptor,
  type OpenTelemetryPluginOptions,
  type OpenTelemetrySinks,
} from '@temporalio/interceptors-opentelemetry';
import type { WorkflowClientInterceptor } from '@temporalio/client';
import type { ActivityInterceptorsFactory, InjectedSinks } from '@temporalio/worker';
import type { BaseLogger } from 'pino';
import { asCurrentSpan, NarrowExporter } from './narrow-spans.ts';

/** How long the end of the process may wait for the collector. */
const LAST_SPANS_MS = 2_000;

/** The traces of a process: where its parts begin spans, and how Temporal carries them from one to the next. */
export interface Traces {
  tracer: Tracer;
  /** Hands the span of a request to the workflow that it starts. */
  client: WorkflowClientInterceptor;
  /** Gives each activity a span below that of its workflow. */
  activity: ActivityInterceptorsFactory;
  /** Receives the spans of workflows from their sandbox. */
  sinks: InjectedSinks<OpenTelemetrySinks>;
  /** Sends what is left, if the collector takes it soon. Nothing may begin a span afterwards. */
  close: () => Promise<void>;
}

/**
 * Begins to send spans by OTLP. The SDK reads the other standard settings (`OTEL_*`) itself. This module loads it, so import this
 * only if traces are wanted.
 */
export function openTraces({
  endpoint,
  headers,
  service,
  version,
  log,
}: {
  endpoint: string;
  /** Pairs as in OTEL_EXPORTER_OTLP_HEADERS. */
  headers: string | null;
  service: string;
  version: string;
  log: Pick<BaseLogger, 'warn'>;
}): Traces {
  const ignore = (): void => undefined;
  const warn = (reason: string): void => {
    log.warn({ reason }, 'traces: spans cannot be sent');
  };
  const logger = { error: warn, warn: ignore, info: ignore, debug: ignore, verbose: ignore };
  diag.setLogger(logger, { logLevel: DiagLogLevel.ERROR, suppressOverrideMessage: true });
  const resource = resourceFromAttributes({ 'service.name': service, 'service.version': version }).merge(
    detectResources({ detectors: [envDetector] }),
  );
  const exporting = { url: endpoint, headers: parseKeyPairsIntoRecord(headers ?? '') };
  const processor = new BatchSpanProcessor(new NarrowExporter(new OTLPTraceExporter(exporting)));
  const provider = new NodeTracerProvider({ resource, spanProcessors: [processor] });
  // Without baggage, which callers could fill with anything, and which would end up in workflow histories.
  provider.register({ propagator: new W3CTraceContextPropagator() });

  const exporter = makeWorkflowExporter(
    {
      onStart: ignore,
      onEnd: (span) => {
        processor.onEnd(asCurrentSpan(span, resource));
      },
      forceFlush: () => processor.forceFlush(),
      shutdown: () => Promise.resolve(),
    },
    // The sandbox has an older SDK. Its spans get the resource of this one.
    undefined as unknown as OpenTelemetryPluginOptions['resource'],
  );
  return {
    tracer: provider.getTracer('cost-analytics', version),
    client: new OpenTelemetryWorkflowClientInterceptor(),
    activity: (activity) => ({ inbound: new OpenTelemetryActivityInboundInterceptor(activity) }),
    sinks: { exporter },
    close: async () => {
      // The exporter tries again for many seconds if the collector does not answer.
      await Promise.race([
        provider.shutdown().catch((error: unknown) => {
          warn(String(error));
        }),
        sleep(LAST_SPANS_MS, undefined, { ref: false }),
      ]);
      trace.disable();
      context.disable();
      propagation.disable();
      diag.disable();
    },
  };
}
