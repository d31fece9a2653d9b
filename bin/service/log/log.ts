import { trace } from '@opentelemetry/api';
import { pino, type DestinationStream, type Logger } from 'pino';

/**
 * Creates the log of a process. Each line is a JSON object with `level` as a word and `time` as RFC 3339. Within a span it has the
 * `trace_id`.
 */
export const createLog = (level: string, to: DestinationStream): Logger =>
  pino(
    {
      level,
      formatters: { level: (word) => ({ level: word }) },
      timestamp: pino.stdTimeFunctions.isoTime,
      mixin: () => {
        const span = trace.getActiveSpan();
        return span === undefined ? {} : { trace_id: span.spanContext().traceId };
      },
    },
    to,
  );
