import { makeTelemetryFilterString, Runtime, type LogLevel } from '@temporalio/worker';
import type { Logger } from 'pino';

/**
 * What the SDK warns of without need. A worker without workflows is intended, for webhooks. The service itself logs why an activity
 * has failed.
 */
const NEEDLESS = ['No workflows registered', 'Activity failed'];

let runtimeInstalled = false;

/** Sends the SDK's logs to ours, once, because a process has one runtime. */
export function installRuntime(log: Logger): void {
  if (runtimeInstalled) return;
  runtimeInstalled = true;
  const write = (level: LogLevel, message: string, meta: { error?: unknown } = {}): void => {
    const method = { TRACE: 'trace', DEBUG: 'debug', INFO: 'debug', WARN: 'warn', ERROR: 'error' } as const;
    const { error, ...temporal } = meta;
    // Below a key of its own, because Temporal's core names its fields as it likes.
    const fields = { temporal, ...(error === undefined ? {} : { err: error }) };
    log[NEEDLESS.some((words) => message.startsWith(words)) ? 'debug' : method[level]](fields, message);
  };
  Runtime.install({
    // The process handles signals itself, to end its parts in the right order.
    shutdownSignals: [],
    telemetryOptions: {
      logging: { forward: {}, filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }) },
    },
    logger: {
      log: (level, message, meta) => {
        write(level, message, meta);
      },
      trace: (message, meta) => {
        write('TRACE', message, meta);
      },
      debug: (message, meta) => {
        write('DEBUG', message, meta);
      },
      info: (message, meta) => {
        write('INFO', message, meta);
      },
      warn: (message, meta) => {
        write('WARN', message, meta);
      },
      error: (message, meta) => {
        write('ERROR', message, meta);
      },
    },
  });
}
