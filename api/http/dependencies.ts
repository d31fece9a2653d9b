import type { Clock } from '../../domain/shared/clock.ts';
import type { SourceRulesOf } from '../../egress/locations/source-rules.ts';
import type { Orchestration } from '../../temporal/orchestration.ts';
import type { Sealer } from '../../security/sealing.ts';
import type { Warehouse } from '../../warehouse/engine/warehouse.ts';

/** Whether the service's folders can be written to; less than 64 MiB free is full. */
export type DiskState = 'ok' | 'full' | 'read_only';

/** All that the API works with; made by the process that serves it, or by a test. */
export interface ApiDependencies {
  warehouse: Warehouse;
  orchestration: Orchestration;
  clock: Clock;
  sourceRulesOf: SourceRulesOf;
  /** Makes an organisation's folder for exports, if it is the service's to make, and returns its path. */
  makeSourceFolder: (orgId: string) => Promise<string>;
  /** How the disk of the service's own files is. */
  disk: () => Promise<DiskState>;
  sealer: Sealer;
  operatorKey: string;
  version: string;
}

/** The same for routes that read or change an organisation's numbers. */
export interface NumberDependencies extends ApiDependencies {
  /** Has the organisation's events evaluated soon, behind the request. */
  noteChange: (orgId: string) => void;
}
