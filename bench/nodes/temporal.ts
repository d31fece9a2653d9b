import { pino } from 'pino';
import { findTemporalCli } from '../../temporal/cli/find-temporal-cli.ts';
import { startDevServer, type DevServer } from '../../temporal/dev-server/dev-server.ts';

/** Starts a Temporal on a data directory. As in that of another operator, nothing is prepared for the product. */
export const startTemporal = async (dataDir: string): Promise<DevServer> =>
  startDevServer({
    cli: await findTemporalCli({ env: process.env, progress: () => undefined }),
    dataDir,
    uiPort: null,
    namespace: 'default',
    searchAttributes: {},
    log: pino({ level: 'silent' }),
  });
