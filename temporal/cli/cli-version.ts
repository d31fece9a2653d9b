/**
 * The release of the Temporal CLI that this product is tested with. Pinned, because the state in
 * `temporal.db` is written with the schema of one server version.
 */
export const TEMPORAL_CLI_VERSION = '1.5.1';
