import { readFile } from 'node:fs/promises';
import type { TLSConfig } from '@temporalio/client';
import type { Settings } from '../../settings/settings.ts';

/** The address and options to reach Temporal, for both the client and the worker. */
export interface TemporalTarget {
  address: string;
  namespace: string;
  options: { address: string; tls?: TLSConfig | boolean; apiKey?: string };
}

/** Returns the connection that the settings describe. A certificate or an API key turns TLS on. */
export async function temporalTarget(settings: Settings, address: string): Promise<TemporalTarget> {
  const { TEMPORAL_TLS_CA, TEMPORAL_TLS_CERT, TEMPORAL_TLS_KEY, TEMPORAL_TLS_SERVER_NAME, TEMPORAL_API_KEY } =
    settings;
  if ((TEMPORAL_TLS_CERT === null) !== (TEMPORAL_TLS_KEY === null)) {
    throw new Error('TEMPORAL_TLS_CERT and TEMPORAL_TLS_KEY: expected both, or none');
  }
  const tls: TLSConfig = {
    ...(TEMPORAL_TLS_CA === null ? {} : { serverRootCACertificate: await readFile(TEMPORAL_TLS_CA) }),
    ...(TEMPORAL_TLS_SERVER_NAME === null ? {} : { serverNameOverride: TEMPORAL_TLS_SERVER_NAME }),
    ...(TEMPORAL_TLS_CERT === null || TEMPORAL_TLS_KEY === null
      ? {}
      : {
          clientCertPair: { crt: await readFile(TEMPORAL_TLS_CERT), key: await readFile(TEMPORAL_TLS_KEY) },
        }),
  };
  const usesTls = Object.keys(tls).length > 0 || TEMPORAL_API_KEY !== null;
  return {
    address,
    namespace: settings.TEMPORAL_NAMESPACE,
    options: {
      address,
      ...(usesTls ? { tls: Object.keys(tls).length > 0 ? tls : true } : {}),
      ...(TEMPORAL_API_KEY === null ? {} : { apiKey: TEMPORAL_API_KEY }),
    },
  };
}
