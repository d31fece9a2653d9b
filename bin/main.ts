import { Command, InvalidArgumentError, Option } from 'commander';
import type { IngestOptions } from './ingest.ts';
import type * as Org from './org.ts';
import { PRIVATE_UMASK } from './settings/private-files.ts';
import type { Roles } from './service/service.ts';
import { operatorAccess, type ServiceAccess } from './service-client.ts';
import { readSettings, type Settings } from './settings/settings.ts';
import { VERSION } from './settings/version.ts';

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

function wholeNumber(text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number)) throw new InvalidArgumentError('expected a whole number');
  return number;
}

/** How many copies of a backup to keep. */
function copies(text: string): number {
  const number = wholeNumber(text);
  if (number < 1) throw new InvalidArgumentError('expected at least 1 copy');
  return number;
}

/** Reads the settings. Flags override the environment, which overrides `.env`. */
const settingsWith = (flags: { data?: string; host?: string; port?: string }): Settings =>
  readSettings({
    ...process.env,
    ...(flags.data === undefined ? {} : { DATA_DIR: flags.data }),
    ...(flags.host === undefined ? {} : { HOST: flags.host }),
    ...(flags.port === undefined ? {} : { PORT: flags.port }),
  });

const dataOption = new Option('--data <dir>', 'data directory (DATA_DIR)');
const urlOption = new Option('--url <url>', 'address of the service').env('COST_ANALYTICS_URL');
const jsonOption = new Option('--json', 'print JSON');

// Each command imports its own modules, because those of the service take a second to load.
const program = new Command('cost-analytics')
  .description('Unit economics: real spend divided by business metrics, per month.')
  .version(VERSION)
  .enablePositionalOptions()
  .showHelpAfterError();

function serve(name: string, description: string, roles: Roles): void {
  program
    .command(name)
    .description(description)
    .addOption(dataOption)
    .option('--host <host>', 'address to listen on (HOST)')
    .option('--port <port>', 'port to listen on (PORT)')
    .action(async (flags: { data?: string; host?: string; port?: string }) => {
      const settings = settingsWith(flags);
      const { startAndSay, stopSignal, untilStopped } = await import('./service/run-service.ts');
      const { createLog } = await import('./service/log/log.ts');
      const signalled = stopSignal();
      const { LogLines } = await import('./service/log/log-lines.ts');
      const lines = new LogLines();
      const log = createLog(settings.LOG_LEVEL, lines);
      try {
        await untilStopped(await startAndSay(settings, roles, log, lines), log, signalled);
      } catch (error) {
        if (!log.isLevelEnabled('fatal')) throw error;
        log.fatal({ err: error }, sentenceOf(error));
        process.exit(1);
      }
    });
}

serve('start', 'API, worker and embedded Temporal in one process', { api: true, worker: true });
serve('api', 'the API alone, for scaled-out use', { api: true, worker: false });
serve('worker', 'a worker alone, for scaled-out use', { api: false, worker: true });

program
  .command('demo')
  .description('start with a sample organisation, in a separate data directory')
  .option('--data <dir>', 'data directory (default: the folder demo in DATA_DIR)')
  .option('--port <port>', 'port to listen on (PORT)')
  .option('--exit', 'stop when everything has been shown')
  .action(async (flags: { data?: string; port?: string; exit?: boolean }) => {
    const { demo, demoEnvironment } = await import('../demo/demo.ts');
    const environment = demoEnvironment(process.env, flags.data);
    const settings = readSettings({
      ...environment,
      ...(flags.port === undefined ? {} : { PORT: flags.port }),
    });
    await demo(settings, { exit: flags.exit === true }, say);
  });

/** What a command does with its flags, whose types commander does not know. */
type Work = (access: ServiceAccess, flags: never) => Promise<void>;

/** Makes a command that asks the running service as its operator. */
function onService(command: Command, work: Work): void {
  command
    .addOption(dataOption)
    .addOption(urlOption)
    .action(async (flags: { data?: string; url?: string }) => {
      await work(await operatorAccess(settingsWith(dataOf(flags)), flags.url), flags as never);
    });
}

/** Makes a command about organisations. `functionOf` chooses the function of org.ts that does its work. */
function onOrganisations(command: Command, functionOf: (org: typeof Org) => Work): void {
  onService(command.addOption(jsonOption), async (access, flags) =>
    functionOf(await import('./org.ts'))(access, flags),
  );
}

const org = program.command('org').description('manage the organisations of the running service');
onOrganisations(
  org
    .command('create')
    .description('create an organisation and its first admin key')
    .requiredOption('--name <name>')
    .option('--tier <tier>', 'starter, professional, business or enterprise', 'enterprise')
    .requiredOption('--currency <code>', 'ISO 4217 code of its costs')
    .option('--settle-days <days>', 'full days after a month before it settles', wholeNumber),
  ({ createOrganisation }) => createOrganisation,
);
onOrganisations(
  org.command('list').description('list all organisations'),
  ({ listOrganisations }) => listOrganisations,
);
onOrganisations(
  org
    .command('set')
    .description('change an organisation')
    .requiredOption('--id <id>')
    .option('--name <name>')
    .option('--tier <tier>')
    .option('--settle-days <days>', 'full days after a month before it settles', wholeNumber),
  ({ setOrganisation }) => setOrganisation,
);
onOrganisations(
  org
    .command('key')
    .description('create an admin key for an organisation that lost its own')
    .requiredOption('--org <id>')
    .option('--name <name>', 'name of the key'),
  ({ createAdminKey }) => createAdminKey,
);
onOrganisations(
  org
    .command('revoke')
    .description('revoke a key of an organisation at once, also its last admin key')
    .requiredOption('--org <id>')
    .requiredOption('--key <id>'),
  ({ revokeKey }) => revokeKey,
);
onOrganisations(
  org
    .command('delete')
    .description('delete an organisation with all its data; its keys end at once')
    .requiredOption('--id <id>')
    .option('--yes', 'delete it; without this, only show what would be deleted'),
  ({ deleteOrganisation }) => deleteOrganisation,
);
onOrganisations(
  org.command('deletions').description('list who has deleted which organisation, and when'),
  ({ listDeletions }) => listDeletions,
);

onService(
  program
    .command('rotate-master-key')
    .description('seal everything anew with MASTER_KEY that MASTER_KEY_PREVIOUS has sealed'),
  async (access) => {
    const { rotateMasterKey } = await import('./rotate-master-key.ts');
    process.exitCode = (await rotateMasterKey(access, say)) ? 0 : 1;
  },
);

onService(
  program
    .command('ingest')
    .description('read a cost source now')
    .requiredOption('--org <id>')
    .requiredOption('--source <id>')
    .option('--from <month>', 'first billing month, YYYY-MM')
    .option('--to <month>', 'last billing month, YYYY-MM')
    .option('--accept-shrink', 'drop days that an earlier load had and the source no longer has')
    .option('--all', 'read files, too, that have not changed since the last run')
    .option('--wait', 'show progress until the ingest ends'),
  async (access, flags: IngestOptions) => {
    const { ingest } = await import('./ingest.ts');
    await ingest(access, flags, say);
  },
);

onService(
  program
    .command('backup')
    .description(
      "copy the running service's data into a new folder; say how to copy a DuckLake, and check the copy",
    )
    .requiredOption(
      '--to <dir>',
      'an empty or new folder on the machine of the service; for a DuckLake, on this machine',
    )
    .option(
      '--keep <count>',
      'make a dated copy in the folder, and remove the oldest beyond so many',
      copies,
    ),
  async (access, { to, keep }: { to: string; keep?: number }) => {
    const { backup } = await import('./backup.ts');
    await backup(access, { to, keep: keep ?? null }, say);
  },
);
program
  .command('restore')
  .description('make a backup the data of a service that has none')
  .requiredOption('--from <dir>', 'the folder of a backup')
  .addOption(dataOption)
  .action(async (flags: { from: string; data?: string }) => {
    const { restore } = await import('./restore.ts');
    await restore(settingsWith(dataOf(flags)), flags.from, say);
  });

program
  .command('temporal')
  .description("run Temporal's own command against the Temporal server of the service")
  .addOption(dataOption)
  // All that follows belongs to Temporal's command, such as --help.
  .helpOption(false)
  .passThroughOptions()
  .allowUnknownOption()
  .argument('[arguments...]', 'as of Temporal, for example: workflow list')
  .action(async (args: string[], flags: { data?: string }) => {
    const { temporal } = await import('./temporal.ts');
    process.exitCode = await temporal(settingsWith(flags), args);
  });

program
  .command('doctor')
  .description('check settings, Temporal, extensions and warehouse, and report what to fix')
  .option('--explain-upgrade', 'list numbers of ended months that the first start of this version changes')
  .addOption(dataOption)
  .action(async ({ data, explainUpgrade }: { data?: string; explainUpgrade?: boolean }) => {
    const { doctor, explain } = await import('./doctor.ts');
    const examine = explainUpgrade === true ? explain : doctor;
    const healthy = await examine({ ...process.env, ...(data === undefined ? {} : { DATA_DIR: data }) }, say);
    process.exitCode = healthy ? 0 : 1;
  });

const dataOf = ({ data }: { data?: string }): { data?: string } => (data === undefined ? {} : { data });

/** Returns the line with which a command ends that has failed. */
const sentenceOf = (error: unknown): string => `cost-analytics: ${reasons(error).join(': ')}`;

/** Returns the messages of an error and of its causes. */
const reasons = (error: unknown): string[] =>
  error instanceof Error
    ? [error.message, ...(error.cause === undefined ? [] : reasons(error.cause))]
    : [String(error)];

// Only the owner can access what this process, and processes that it starts, create from here on.
process.umask(PRIVATE_UMASK);
try {
  process.loadEnvFile();
} catch {
  // `.env` is optional. If it cannot be read, it counts as absent.
}
try {
  await program.parseAsync();
  // The command has done its work. Anything that is still open must not keep the process alive.
  process.exit();
} catch (error) {
  process.stderr.write(`${sentenceOf(error)}\n`);
  process.exit(1);
}
