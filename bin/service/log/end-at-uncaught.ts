import type { Logger } from 'pino';
import { errorForLog } from '../../../activities/shared/cause-of.ts';
import { currentWork } from '../../../telemetry/current-work.ts';

/**
 * Ends the process at an error that nothing has caught, because nobody knows its state then. The last line of the log names the
 * error, and the request or the attempt of a step that it belongs to. Returns a function that undoes this.
 */
export function endAtUncaught(log: Pick<Logger, 'fatal'>): () => void {
  const end = (error: Error, origin: string): void => {
    log.fatal(
      { ...currentWork(), origin, err: errorForLog(error) },
      'an error that nothing caught ends the process',
    );
    process.exit(1);
  };
  process.once('uncaughtException', end);
  return () => {
    process.off('uncaughtException', end);
  };
}
