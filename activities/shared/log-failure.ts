import type { Logger } from 'pino';
import { withoutCells } from '../../domain/shared/text/without-cells.ts';

/** What has failed for good, and whose it is. All fields but the reason are ids. */
export interface FailedWork {
  kind: 'ingest' | 'import' | 'export' | 'delivery';
  organisation: string;
  source?: string;
  metric?: string;
  webhook?: string;
  event?: string;
  run?: string;
  /** The reason as the organisation sees it. The log omits what the reason repeats of the data. */
  reason: string;
}

/** Logs the one line of work that has failed for good, after its end is recorded. */
export function logFailure(log: Pick<Logger, 'error'>, { reason, ...work }: FailedWork): void {
  log.error({ ...work, reason: withoutCells(reason) }, 'failed for good');
}
