import type { CheckedConnection, ConnectionToCheck } from '../../domain/imports/checked-connection.ts';
import type { Platform } from '../../domain/imports/platforms.ts';
import type { Driver } from './driver.ts';

/** Where each platform is reached. */
export type PlatformAddresses = Record<Platform, string>;

/** The drivers. Each takes a fifth of a second to load, which most starts do not need. */
const DRIVERS: { [Of in Platform]: () => Promise<Driver<Of>> } = {
  bigquery: async () => (await import('./bigquery/driver.ts')).bigQuery,
  stripe: async () => (await import('./stripe/driver.ts')).stripe,
};

/** Returns the driver of a platform. */
export const driverOf = <Of extends Platform>(platform: Of): Promise<Driver<Of>> => DRIVERS[platform]();

/** Asks the platform of a connection whether it can be imported; see {@link Driver.check}. */
export async function checkConnection(
  addresses: PlatformAddresses,
  connection: ConnectionToCheck,
  signal: AbortSignal,
): Promise<CheckedConnection> {
  const { type } = connection.definition;
  return (await driverOf(type)).check(connection, { address: addresses[type], signal });
}
