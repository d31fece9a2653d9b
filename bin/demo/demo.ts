import { join } from 'node:path';
import { addDays, dayOf, monthOf, monthsBack } from '../../domain/shared/calendar.ts';
import { createLog, untilStopped } from '../service/run-service.ts';
import { startService } from '../service/service.ts';
import type { Settings } from '../settings/settings.ts';
import { requireFreePort } from './require-free-port.ts';
import { showSample } from './show-sample.ts';
import { eventInWords } from './told-event.ts';
import { LISTENER_HOST, startWebhookListener } from './webhook-listener.ts';

/** Twelve months to show, and the one before them to compare the oldest with. */
const MONTHS = 13;

/**
 * `demo`: starts the service, brings its sample organisation up to date over HTTP, shows it, and goes on serving
 * until it is stopped, unless `exit`, saying what its webhook is told. Run again, it goes on with the same
 * organisation and keeps what was changed.
 */
export const demo = async (
  settings: Settings,
  { exit }: { exit: boolean },
  say: (text: string) => void,
): Promise<void> => {
  await requireFreePort(settings.HOST, settings.port);
  const now = settings.CLOCK ?? new Date();
  const through = addDays(dayOf(now), -1);
  const months = monthsBack(monthOf(dayOf(now)), MONTHS).reverse();
  say('Starting the service …');
  const listener = await startWebhookListener();
  const service = await startService(settings, { api: true, worker: true }, createLog(settings));
  // From here on a signal ends the demo cleanly, however far it has come; what it cuts short is no failure.
  let ending = false;
  const isEnding = (): boolean => ending;
  const end = (): void => {
    ending = true;
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, end);
  void service.failed.then(end);
  const stopped = untilStopped(service);
  try {
    const running = { url: service.url ?? '', settings, listener };
    await showSample(running, { months, through, exit }, say);
    listener.tell((event) => {
      say(`webhook    ${eventInWords(event)}, signature verified`);
    });
  } catch (error) {
    if (!isEnding()) {
      await service.stop();
      throw error;
    }
  }
  if (exit && !isEnding()) await service.stop();
  else await stopped;
  await listener.close();
};

/** The settings of a demo: its own folder and its own Temporal server, whatever the real service is told to use. */
export const demoEnvironment = (env: NodeJS.ProcessEnv, dataDir: string | undefined): NodeJS.ProcessEnv => {
  const foreign = /^(WAREHOUSE|WAREHOUSE_DATA|TEMPORAL_.*|SOURCE_ROOTS)$/;
  const realDataDir = env['DATA_DIR']?.trim() ?? '';
  return {
    // The demo's own words are for people; logs only where something is wrong.
    LOG_LEVEL: 'warn',
    ...Object.fromEntries(Object.entries(env).filter(([name]) => !foreign.test(name))),
    // Its webhook goes to a listener on this machine; no other service is told so.
    PRIVATE_TARGETS: [env['PRIVATE_TARGETS'] ?? '', LISTENER_HOST].join(','),
    DATA_DIR: dataDir ?? join(realDataDir === '' ? './data' : realDataDir, 'demo'),
  };
};
