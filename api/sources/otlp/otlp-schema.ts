import { parse, Reader, Type } from 'protobufjs';
import { invalid } from '../../../domain/shared/errors.ts';

/**
 * The part of OTLP's protobuf schema that is read or written. Other fields of a message are skipped, as protobuf wants it
 * (https://github.com/open-telemetry/opentelemetry-proto).
 */
const { root } = parse(`
  syntax = "proto3";
  message Request { repeated ResourceMetrics resource_metrics = 1; }
  message ResourceMetrics { Resource resource = 1; repeated ScopeMetrics scope_metrics = 2; }
  message Resource { repeated KeyValue attributes = 1; }
  message ScopeMetrics { repeated Metric metrics = 2; }
  message Metric { string name = 1; Sum sum = 7; }
  message Sum { repeated NumberDataPoint data_points = 1; int32 aggregation_temporality = 2; }
  message NumberDataPoint {
    fixed64 start_time_unix_nano = 2;
    fixed64 time_unix_nano = 3;
    oneof value { double as_double = 4; sfixed64 as_int = 6; }
    repeated KeyValue attributes = 7;
  }
  message KeyValue { string key = 1; AnyValue value = 2; }
  message AnyValue {
    oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4; bytes bytes_value = 7; }
  }
  message Response { PartialSuccess partial_success = 1; }
  message PartialSuccess { int64 rejected_data_points = 1; string error_message = 2; }
  message Status { string message = 2; }
`);
const REQUEST = root.lookupType('Request');
const RESPONSE = root.lookupType('Response');
const STATUS = root.lookupType('Status');

/** The most messages in a request: more than ten thousand points with ten attributes have. An empty one takes two bytes. */
const MOST_MESSAGES = 300_000;

/** Returns a request as OTLP's JSON. Throws `invalid` for bytes that are none, and for far more messages than points can need. */
export function decodeRequest(bytes: Buffer): unknown {
  try {
    if (messagesIn(REQUEST, Reader.create(bytes), bytes.length) > MOST_MESSAGES)
      throw invalid(`body: expected at most ${MOST_MESSAGES} messages, got more; send smaller batches`);
    return REQUEST.toObject(REQUEST.decode(bytes), { longs: String, bytes: String });
  } catch (error) {
    if (error instanceof RangeError || (error instanceof Error && error.name === 'Error'))
      throw invalid('body: expected an ExportMetricsServiceRequest in protobuf, got other bytes');
    throw error;
  }
}

/** Counts the messages inside a message before they become objects, which take much more memory than their bytes. */
function messagesIn(type: Type, reader: Reader, end: number): number {
  let count = 0;
  while (reader.pos < end && count <= MOST_MESSAGES) {
    const tag = reader.uint32();
    const inner = type.fieldsById[tag >>> 3]?.resolve().resolvedType;
    if ((tag & 7) === 2 && inner instanceof Type) {
      const length = reader.uint32();
      count += 1 + messagesIn(inner, reader, reader.pos + length);
    } else reader.skipType(tag & 7);
  }
  return count;
}

/** The answer to a request, as OTLP's JSON has it. */
export interface ExportAnswer {
  partialSuccess?: { rejectedDataPoints: string; errorMessage: string };
}

export const encodeAnswer = (answer: ExportAnswer): Buffer =>
  Buffer.from(RESPONSE.encode(RESPONSE.fromObject(answer)).finish());

/** Returns the body of an error: google.rpc.Status, of which OTLP needs only the message. */
export const encodeError = (message: string): Buffer =>
  Buffer.from(STATUS.encode(STATUS.fromObject({ message })).finish());
