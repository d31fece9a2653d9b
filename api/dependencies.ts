import type { Clock } from '../domain/clock.ts';
import type { SourceRules } from '../egress/source-location.ts';
import type { Orchestration } from '../temporal/orchestration.ts';
import type { Sealer } from '../security/sealing.ts';
import type { Warehouse } from '../warehouse/warehouse.ts';

/** All that the API works with; made by the process that serves it, or by a test. */
export interface ApiDependencies {
  warehouse: Warehouse;
  orchestration: Orchestration;
  clock: Clock;
  sourceRules: SourceRules;
  sealer: Sealer;
  operatorKey: string;
  version: string;
}
