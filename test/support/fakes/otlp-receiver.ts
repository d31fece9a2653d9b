import { parse } from 'protobufjs';
import { listenLocally } from './file-server.ts';

/** A span as a collector receives it. Ids are in hexadecimal digits; a root has no parent. */
export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  parentSpanId: string;
  name: string;
  attributes: Record<string, string>;
  isError: boolean;
}

/** A collector that receives traces by OTLP over HTTP. */
interface OtlpReceiver {
  url: string;
  spans: ReceivedSpan[];
  /** Returns everything that was received, as text. */
  text: () => string;
  close: () => Promise<void>;
}

/** The part of OTLP's schema that tests read. */
const { root } = parse(`
  syntax = "proto3";
  message Request { repeated ResourceSpans resource_spans = 1; }
  message ResourceSpans { repeated ScopeSpans scope_spans = 2; }
  message ScopeSpans { repeated Span spans = 2; }
  message Span {
    bytes trace_id = 1;
    bytes span_id = 2;
    bytes parent_span_id = 4;
    string name = 5;
    repeated Attribute attributes = 9;
    Status status = 15;
  }
  message Attribute { string key = 1; Value value = 2; }
  message Value { oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; } }
  message Status { string message = 2; int32 code = 3; }
`);
const REQUEST = root.lookupType('Request');

interface Wire {
  resourceSpans?: { scopeSpans?: { spans?: WireSpan[] }[] }[];
}

interface WireSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  attributes?: { key: string; value: Record<string, unknown> }[];
  status?: { code?: number };
}

const ERROR = 2;

const hex = (base64 = ''): string => Buffer.from(base64, 'base64').toString('hex');

/** Starts a collector on a free loopback port. */
export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const bodies: Buffer[] = [];
  const server = await listenLocally((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      bodies.push(body);
      const { resourceSpans = [] } = REQUEST.toObject(REQUEST.decode(body), { bytes: String }) as Wire;
      for (const span of resourceSpans.flatMap(({ scopeSpans = [] }) =>
        scopeSpans.flatMap((scope) => scope.spans ?? []),
      ))
        spans.push({
          traceId: hex(span.traceId),
          spanId: hex(span.spanId),
          parentSpanId: hex(span.parentSpanId),
          name: span.name,
          attributes: Object.fromEntries(
            (span.attributes ?? []).map(({ key, value }) => [key, String(Object.values(value)[0])]),
          ),
          isError: span.status?.code === ERROR,
        });
      response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
    });
  });
  return {
    url: server.url,
    spans,
    text: () => Buffer.concat(bodies).toString('latin1'),
    close: () => server.close(),
  };
}
