import type { ObjectStorage } from '../../domain/sources/exports/object-storage.ts';
import type { PrivateTargets } from '../requests/private-targets.ts';

/** Where the exported files of one organisation go. Paths are relative, with `/`. Each method is idempotent. */
export interface ExportPlace {
  /** Puts a local file at a path, instead of the one before. Nobody sees a part of it. */
  put: (path: string, file: string, signal: AbortSignal) => Promise<void>;
  /** Removes a file, which may be absent. */
  remove: (path: string, signal: AbortSignal) => Promise<void>;
}

/** What requests to an object storage need. */
export interface StorageRules {
  objectStorage: ObjectStorage;
  privateTargets: PrivateTargets;
}
