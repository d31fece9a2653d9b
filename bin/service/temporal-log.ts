import { Runtime, type LogLevel } from '@temporalio/worker';
import type { Logger } from 'pino';

/** Said of a worker that runs activities alone, as the one for webhooks does: nobody needs to be warned. */
const MEANT_SO = 'No workflows registered';

let runtimeInstalled = false;

/** Sends the SDK's logs to ours; a process has one runtime. */
export const installRuntime = (log: Logger): void => {
  if (runtimeInstalled) return;
  runtimeInstalled = true;
  const write = (level: LogLevel, message: string, meta: object = {}): void => {
    const method = { TRACE: 'trace', DEBUG: 'debug', INFO: 'debug', WARN: 'warn', ERROR: 'error' } as const;
    log[message.startsWith(MEANT_SO) ? 'debug' : method[level]](meta, message);
  };
  Runtime.install({
    // The process ends itself, in the right order.
    shutdownSignals: [],
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
};
