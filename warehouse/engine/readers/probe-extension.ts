import { loadExtension, type Extension } from '../opening/extensions.ts';
import type { WarehouseSettings } from '../warehouse.ts';
import { withOwnReader, type ReaderSettings } from './load-sessions.ts';

/**
 * Loads the extension in a separate process, which a hanging download cannot outlive. Throws like {@link loadExtension}.
 */
export const probeExtension = (
  settings: ReaderSettings & Pick<WarehouseSettings, 'extensions'>,
  extension: Extension,
): Promise<void> =>
  withOwnReader(settings, ({ reader }) => loadExtension(reader, extension, settings.extensions));
