import type { Tracer } from '@opentelemetry/api';
import type { CheckedConnection, ConnectionToCheck } from '../../domain/imports/checked-connection.ts';
import type { CheckedSource } from '../../domain/sources/checks/checked-source.ts';
import type { Clock } from '../../domain/shared/clock.ts';
import type { Credentials } from '../../domain/sources/credentials.ts';
import type { CredentialsToCheck } from '../../domain/sources/credentials-to-check.ts';
import type { SourceRulesOf } from '../../egress/locations/source-rules.ts';
import type { Orchestration } from '../../temporal/orchestration.ts';
import type { Sealer } from '../../security/sealing.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import type { Warehouse } from '../../warehouse/engine/warehouse.ts';
import type { NewCostSource } from '../../warehouse/sources/cost-sources.ts';
import type { Organisation } from '../../warehouse/organisations/organisations.ts';
import type { Deletion } from '../../warehouse/organisations/deleted-organisations.ts';

/** Whether the service can write to its folders. Less than 64 MiB of free space counts as full. */
export type DiskState = 'ok' | 'full' | 'read_only';

/** Everything that the API needs. The process that serves it provides this, or a test does. */
export interface ApiDependencies {
  warehouse: Warehouse;
  orchestration: Orchestration;
  clock: Clock;
  sourceRulesOf: SourceRulesOf;
  /** Returns the path of an organisation's folder for exports. Creates the folder if the service owns its place. */
  makeSourceFolder: (orgId: string) => Promise<string>;
  /** Closes an organisation, and deletes all that it has. Returns null if no organisation ever had this id. Idempotent. */
  deleteOrganisation: (orgId: string) => Promise<Deletion | null>;
  /** The most bytes of a file that people send (UPLOAD_LIMIT). */
  uploadLimit: number;
  /** Throws `invalid` if this machine cannot read a location on other hosts, because it lacks DuckDB's extension for it. */
  checkRemoteFiles: (location: string) => Promise<void>;
  /** Looks at a source that is not connected yet, and stores nothing. Ends once `signal` aborts. */
  checkSource: (
    asked: { organisation: Organisation; source: NewCostSource; credentials: Credentials | null },
    signal: AbortSignal,
  ) => Promise<CheckedSource>;
  /** The state of the disk that holds the service's own files. */
  disk: () => Promise<DiskState>;
  sealer: Sealer;
  /**
   * Ends a rotation of the master key: writes its file anew, if the old key came from there. Returns the file, and that of the old
   * key; null if there is nothing to write.
   */
  writeKeyFile: () => Promise<{ key_file: string; old_key_file: string } | null>;
  /**
   * Tries credentials on the locations of a source. Returns what to change, in sentences. Throws Outage if the service that has the
   * locations cannot be asked.
   */
  checkCredentials: (given: CredentialsToCheck, signal: AbortSignal) => Promise<string[]>;
  /** Asks a platform whether a connection can be imported. Throws Outage if the platform cannot be asked. */
  checkConnection: (connection: ConnectionToCheck, signal: AbortSignal) => Promise<CheckedConnection>;
  operatorKey: string;
  metrics: Metrics;
  /** Begins the spans of requests; null if there are no traces. */
  tracer: Tracer | null;
  /** The service’s own origin; null if the operator has not named it. */
  publicUrl: URL | null;
  /** The folder of the built dashboard; null in tests of the API alone. */
  pages: string | null;
  version: string;
}
