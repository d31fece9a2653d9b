import { join } from 'node:path';
import { operatorKey } from '../bin/settings/operator-key.ts';
import { requireFreePorts } from '../bin/service/free-port.ts';
import { LogLines } from '../bin/service/log/log-lines.ts';
import { createLog } from '../bin/service/log/log.ts';
import { stopSignal, untilStopped } from '../bin/service/run-service.ts';
import { startService, type Service } from '../bin/service/service.ts';
import type { Settings } from '../bin/settings/settings.ts';
import { addDays, dayOf, monthOf, monthsBack } from '../domain/shared/calendar.ts';
import { writeExports, type SampleTime } from './exports/write-exports.ts';
import { apply, named } from './organisation/apply.ts';
import { signIn, type Say } from './organisation/client.ts';
import { chooseRestatedMonth, makeHistory, restatedMonth } from './organisation/history.ts';
import { ingest } from './organisation/ingest.ts';
import { ingestShop } from './organisation/ingest-shop.ts';
import { startSampleStripe } from './organisation/sales.ts';
import { eventText, LISTENER_HOST, WebhookListener } from './organisation/webhook.ts';
import { chapter, report } from './report/report.ts';

/** Twelve months to show, and the month before them for comparison. */
const MONTHS = 13;

const ROLES = { api: true, worker: true };

/**
 * `demo`: starts the service, brings the sample shop up to date over HTTP, shows it, and serves until it is stopped.
 * With `exit` it stops at once. Another run continues with the same organisation and keeps the user's changes.
 */
export async function demo(settings: Settings, { exit }: { exit: boolean }, say: Say): Promise<void> {
  await requireFreePorts(settings, ROLES);
  say('Starting the service …');
  const today = dayOf(settings.CLOCK ?? new Date());
  const time = { months: monthsBack(monthOf(today), MONTHS).reverse(), through: addDays(today, -1) };
  const listener = new WebhookListener();
  await listener.start();
  const stripe = await startSampleStripe(time);
  try {
    const connected = { ...settings, STRIPE_API_BASE: stripe.base };
    await serve({ settings: connected, time, listener, exit, say });
  } finally {
    listener.close();
    await stripe.close();
  }
}

interface Run {
  settings: Settings;
  time: SampleTime;
  listener: WebhookListener;
  exit: boolean;
  say: Say;
}

/** Serves, and shows the sample shop. Returns once the service has stopped. */
async function serve(run: Run): Promise<void> {
  const { settings, exit, say } = run;
  const lines = new LogLines();
  const log = createLog(settings.LOG_LEVEL, lines);
  const service = await startService(settings, ROLES, log, lines, (line) => {
    say(`  ${line}`);
  });
  const signalled = stopSignal();
  const stopped = untilStopped(service, log, signalled);
  const shown = show(service, run).then(() => true);
  // A signal ends the demo cleanly, and the work that it interrupts is no failure.
  const first = await Promise.race([shown, signalled, service.failed]).catch(async (error: unknown) => {
    await service.stop();
    throw error;
  });
  await (exit && first === true ? service.stop() : stopped);
}

/** Brings the sample shop of a running service up to date, and prints what there is to see. */
async function show({ url: address, temporalPage }: Service, { settings, time, listener, exit, say }: Run) {
  const url = address ?? '';
  const { dataDir } = settings;
  const operator = await operatorKey(settings.OPERATOR_KEY, dataDir);
  const { id, admin, adminKey, isNew } = await signIn(url, dataDir, operator);
  say(`${isNew ? 'Created' : 'Continuing with'} the organisation Sample shop.`);
  const folder = join(dataDir, 'exports', id);
  const restated = await restatedMonth(dataDir);
  say('Creating cost sources, teams, metrics, values and shared costs …');
  const shop = await apply(admin, time);
  await ingestShop({ shop, folder, restated, say });
  say('Sealing bills, locking settled months …');
  await makeHistory(shop);
  const chosen = restated === null ? await chooseRestatedMonth(shop, dataDir) : null;
  if (chosen !== null) {
    say(`AWS restates its bill of ${chosen} …`);
    await writeExports(folder, { ...time, months: [chosen] }, chosen, (path) => path.startsWith('aws/'));
    await ingest(admin, named(shop.sources, 'AWS'), say, chosen);
  }
  const steps = await report(shop, listener, restated ?? chosen, say);
  const page = temporalPage === null ? [] : [`workflows  ${temporalPage}`];
  chapter([`base URL   ${url}/api/v1`, `admin key  ${adminKey}`, ...page], say);
  const title = exit
    ? 'What to try next, once you have started it again without --exit:'
    : 'What to try next (in another terminal; Ctrl-C here ends it):';
  const docs = ['  # every call there is, in a browser', `  ${url}/docs`];
  chapter([title, `  API=${url}/api/v1 KEY=${adminKey}`, ...steps, ...docs], say);
  const stop = exit
    ? 'the demo ends now; without --exit it continues with the same organisation'
    : 'press Ctrl-C here; another run continues with the same organisation';
  const lastLines = [
    `page       ${url}`,
    `admin key  ${adminKey}`,
    'sign in    open the page, and enter the admin key',
  ];
  chapter([`ready ${url}`, ...lastLines, `stop       ${stop}`], say);
  listener.onEvent = (event) => {
    say(`webhook    ${eventText(event)}, signature verified`);
  };
}

/**
 * Returns the settings of a demo: its own folder, Temporal server and Stripe, whatever the real service uses. TEMPORAL_UI_PORT
 * opens the page of its own server.
 */
export function demoEnvironment(env: NodeJS.ProcessEnv, dataDir: string | undefined): NodeJS.ProcessEnv {
  const foreign = /^(WAREHOUSE(_FILE|_DATA)?|TEMPORAL_(?!UI_PORT$).*|SOURCE_ROOTS|STRIPE_API_BASE)$/;
  const realDataDir = env['DATA_DIR']?.trim() ?? '';
  return {
    // The demo prints for people. Logs are for failures only.
    LOG_LEVEL: 'warn',
    ...Object.fromEntries(Object.entries(env).filter(([name]) => !foreign.test(name))),
    // The demo's service may reach the listener on this machine.
    PRIVATE_TARGETS: [env['PRIVATE_TARGETS'] ?? '', LISTENER_HOST].join(','),
    DATA_DIR: dataDir ?? join(realDataDir === '' ? './data' : realDataDir, 'demo'),
  };
}
