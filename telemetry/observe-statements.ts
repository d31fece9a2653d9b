import { SpanKind, SpanStatusCode, trace, type Tracer } from '@opentelemetry/api';
import type { Metrics } from './metrics.ts';
import type { StatementKind, StatementObserver } from './statement-observer.ts';

/**
 * Measures the statements of a warehouse. With a tracer, those of a traced request or activity also get spans, with the table but
 * without the text.
 */
export const observeStatements = (
  { statementDuration, sessionWait }: Pick<Metrics, 'statementDuration' | 'sessionWait'>,
  tracer: Tracer | null,
): StatementObserver => ({
  began: (kind, sql) => {
    const span = tracer !== null && isTraced() ? spanOf(tracer, kind, sql) : null;
    const begun = performance.now();
    return (hasFailed) => {
      statementDuration.observe({ kind }, (performance.now() - begun) / 1000);
      if (hasFailed) span?.setStatus({ code: SpanStatusCode.ERROR });
      span?.end();
    };
  },
  waited: (seconds) => {
    sessionWait.observe(seconds);
  },
});

const isTraced = (): boolean => trace.getActiveSpan()?.isRecording() === true;

function spanOf(tracer: Tracer, kind: StatementKind, sql: string) {
  const table = tableOf(sql);
  return tracer.startSpan(table === null ? kind : `${kind} ${table}`, {
    kind: SpanKind.CLIENT,
    attributes: {
      'db.system.name': 'duckdb',
      'db.operation.name': kind,
      ...(table === null ? {} : { 'db.collection.name': table }),
    },
  });
}

/** Texts in a statement, such as paths of files. */
const TEXTS = /'(?:[^']|'')*'/g;

const TABLE = /\b(?:FROM|INTO|UPDATE|TABLE|VIEW)\s+([a-z_][\w.]*)/i;

/** Returns the first table that a statement names; null if it names none. */
const tableOf = (sql: string): string | null => TABLE.exec(sql.replace(TEXTS, "''"))?.[1] ?? null;
