import { TraceFlags, type SpanContext } from '@opentelemetry/api';
import type { ExportResult } from '@opentelemetry/core';
import type { Resource } from '@opentelemetry/resources';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-node';

/** The attributes that leave the process: ids, names from the code and statuses. */
const KEPT: ReadonlySet<string> = new Set([
  'http.request.method',
  'http.route',
  'http.response.status_code',
  'cost_analytics.organisation',
  'db.system.name',
  'db.operation.name',
  'db.collection.name',
  'temporalWorkflowId',
  'temporalActivityId',
  'run_id',
  'workflowId',
  'workflowType',
  'runId',
]);

/**
 * Sends spans without messages, events and other attributes. Errors and reasons may repeat what a customer has sent, locations of
 * sources, or amounts. Libraries that add spans may add attributes with any update.
 */
export class NarrowExporter implements SpanExporter {
  readonly #exporter: SpanExporter;

  constructor(exporter: SpanExporter) {
    this.#exporter = exporter;
  }

  export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    this.#exporter.export(spans.map(narrow), done);
  }

  async forceFlush(): Promise<void> {
    await this.#exporter.forceFlush?.();
  }

  shutdown(): Promise<void> {
    return this.#exporter.shutdown();
  }
}

const narrow = (span: ReadableSpan): ReadableSpan => ({
  name: span.name,
  kind: span.kind,
  spanContext: () => span.spanContext(),
  ...(span.parentSpanContext === undefined ? {} : { parentSpanContext: span.parentSpanContext }),
  startTime: span.startTime,
  endTime: span.endTime,
  duration: span.duration,
  ended: span.ended,
  status: { code: span.status.code },
  attributes: Object.fromEntries(Object.entries(span.attributes).filter(([name]) => KEPT.has(name))),
  links: [],
  events: [],
  resource: span.resource,
  instrumentationScope: span.instrumentationScope,
  droppedAttributesCount: 0,
  droppedEventsCount: 0,
  droppedLinksCount: 0,
});

/** A span of SDK 1.x, which traces workflows in their sandbox. */
type EarlierSpan = Omit<ReadableSpan, 'instrumentationScope' | 'parentSpanContext' | 'resource'> & {
  instrumentationLibrary: ReadableSpan['instrumentationScope'];
  parentSpanId?: string;
};

/** Returns a span of SDK 1.x in the form of the current SDK. */
export function asCurrentSpan(span: EarlierSpan, resource: Resource): ReadableSpan {
  const own = span.spanContext();
  const { instrumentationLibrary, parentSpanId, ...same } = span;
  const parent: SpanContext | null =
    parentSpanId === undefined
      ? null
      : { traceId: own.traceId, spanId: parentSpanId, traceFlags: TraceFlags.SAMPLED };
  return {
    ...same,
    spanContext: () => own,
    resource,
    instrumentationScope: instrumentationLibrary,
    ...(parent === null ? {} : { parentSpanContext: parent }),
  };
}
