import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';

/** A client of the service's own Temporal, to look at its workflows and schedules. */
export interface TemporalWindow {
  client: Client;
  /** Process id of the Temporal server. */
  pid: number;
  close: () => Promise<void>;
}

/** Connects to the Temporal server that the service with this data directory has started. */
export const openTemporal = async (dataDir: string): Promise<TemporalWindow> => {
  const text = await readFile(join(dataDir, 'temporal.json'), 'utf8');
  const { pid, port } = JSON.parse(text) as { pid: number; port: number };
  const connection = await Connection.connect({
    address: `127.0.0.1:${port}`,
    channelArgs: { 'grpc.enable_http_proxy': 0 },
  });
  return { client: new Client({ connection }), pid, close: () => connection.close() };
};
