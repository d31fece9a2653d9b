import { access, constants, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { satisfies } from 'semver';
import { makeFolder } from '../files/make-folder.ts';
import { makeWritableFolder } from '../files/make-writable-folder.ts';
import { defaultCliCacheDir, TEMPORAL_CLI_VERSION } from '../temporal/cli/cli-cache.ts';
import { findInstalledCli } from '../temporal/cli/find-temporal-cli.ts';
import { programsOnPath } from '../temporal/cli/programs.ts';
import { sealedTexts } from '../api/operator/master-key.ts';
import { checkTarget } from '../egress/exports/export-target.ts';
import { Orchestration } from '../temporal/orchestration.ts';
import { toWire } from '../domain/shared/decimals.ts';
import { explainUpgrade, schemaVersion, type ChangedNumber } from '../warehouse/upgrade/explain-upgrade.ts';
import { listOrganisations } from '../warehouse/organisations/organisations.ts';
import { withoutPassword } from '../warehouse/engine/hide-secrets.ts';
import { isDuckLake } from '../warehouse/engine/location.ts';
import { whyRefused } from '../warehouse/engine/migrations/schema-version.ts';
import type { Extension } from '../warehouse/engine/opening/extensions.ts';
import { probeExtension } from '../warehouse/engine/readers/probe-extension.ts';
import { Sealer } from '../security/sealing.ts';
import { sealedByKeys, type SealedByKey } from '../warehouse/engine/records/sealed-texts.ts';
import { Warehouse } from '../warehouse/engine/warehouse.ts';
import {
  clockOf,
  readSettings,
  temporalPageOf,
  tracesEndpointOf,
  type Settings,
} from './settings/settings.ts';
import { keyFinding } from './settings/key-finding.ts';
import { knownMasterKeys } from './settings/master-key.ts';
import { NODE_VERSIONS } from './settings/version.ts';
import { freeBytes, LEAST_FREE_BYTES, writtenFolders } from './service/disk-check.ts';
import { closedBuckets } from './service/bucket-access.ts';
import { remoteSources } from './service/remote-files.ts';
import { call, operatorAccess } from './service-client.ts';
import { sharedFolders, sourcesOutside } from './service/source-folders.ts';
import { temporalTarget } from './service/temporal/temporal-connection.ts';
import { withWarehouseSettings } from './service/warehouse-settings.ts';

interface Finding {
  subject: string;
  state: 'ok' | 'note' | 'problem';
  text: string;
}

const found = (subject: string, state: Finding['state'], text: string): Finding => ({ subject, state, text });

/** `doctor`: checks settings, Node, data directory, Temporal, extensions and warehouse. Returns true if nothing must be fixed. */
export async function doctor(env: NodeJS.ProcessEnv, say: (text: string) => void): Promise<boolean> {
  const show = ({ subject, state, text }: Finding): void => {
    say(`${{ ok: 'ok     ', note: 'note   ', problem: 'PROBLEM' }[state]} ${subject}: ${text}`);
  };
  let settings: Settings;
  try {
    settings = readSettings(env);
  } catch (error) {
    show(found('settings', 'problem', message(error)));
    return false;
  }
  const findings = [found('settings', 'ok', 'valid'), ...node(), await nice()];
  for (const check of [dataDirectory, disks, temporal, traces]) findings.push(...(await check(settings)));
  const loaded = await extensions(settings);
  findings.push(
    ...loaded,
    ...(await warehouse(settings, loaded, env)),
    ...(await exportTarget(settings)),
    ...(await backupFolder(settings)),
  );
  for (const finding of findings) show(finding);
  return findings.every(({ state }) => state !== 'problem');
}

const message = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function node(): Finding[] {
  const size = Number(process.env['UV_THREADPOOL_SIZE'] ?? 4);
  const problems: string[] = [];
  if (!satisfies(process.versions.node, NODE_VERSIONS))
    problems.push(`expected ${NODE_VERSIONS}, got ${process.version}: install one of these versions`);
  if (size < 8)
    problems.push(`UV_THREADPOOL_SIZE is ${size}: set it to 16, or long statements hold up requests`);
  return problems.length > 0
    ? problems.map((problem) => found('Node', 'problem', problem))
    : [found('Node', 'ok', `${process.version}, ${size} threads for statements`)];
}

/** Ingests run their readers with `nice`. */
async function nice(): Promise<Finding> {
  const [program] = await programsOnPath('nice', process.env);
  return program === undefined
    ? found('nice', 'problem', 'expected this program on the PATH, or every ingest fails: install coreutils')
    : found('nice', 'ok', program);
}

async function dataDirectory({ dataDir }: Settings): Promise<Finding[]> {
  try {
    await makeFolder(dataDir);
    await access(dataDir, constants.W_OK);
    return [found('data directory', 'ok', dataDir)];
  } catch (error) {
    return [found('data directory', 'problem', `DATA_DIR must be writable: ${message(error)}`)];
  }
}

const MIB = 2 ** 20;

/** Checks the free space of the folders that `/readyz` checks. */
async function disks(settings: Settings): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const folder of writtenFolders(settings)) {
    // A folder that is missing or closed is reported already, or the start makes it.
    const free = await freeBytes(folder).catch(() => null);
    if (free === null) continue;
    const shown = `${Math.floor(free / MIB)} MiB free in ${folder}`;
    findings.push(
      free < LEAST_FREE_BYTES
        ? found('disk', 'problem', `${shown}: free space, at least ${LEAST_FREE_BYTES / MIB} MiB`)
        : found('disk', 'ok', shown),
    );
  }
  return findings;
}

/** Writes a file to the target of the nightly export, and removes it. */
async function exportTarget(settings: Settings): Promise<Finding[]> {
  const { EXPORT_TO: target, PRIVATE_TARGETS: privateTargets } = settings;
  if (target === null) return [];
  return withWarehouseSettings(settings, async ({ objectStorage, spillDirectory }) => {
    const file = join(spillDirectory, 'write-check');
    await writeFile(file, 'cost-analytics doctor\n');
    return checkTarget(target, file, { objectStorage, privateTargets }).then(
      () => [found('EXPORT_TO', 'ok', 'can be written to')],
      (error: unknown) => [found('EXPORT_TO', 'problem', `cannot be written to: ${message(error)}`)],
    );
  });
}

async function backupFolder({ BACKUP_TO: folder }: Settings): Promise<Finding[]> {
  if (folder === null) return [];
  return makeWritableFolder(folder).then(
    () => [found('BACKUP_TO', 'ok', folder)],
    (error: unknown) => [found('BACKUP_TO', 'problem', message(error))],
  );
}

async function temporal(settings: Settings): Promise<Finding[]> {
  if (settings.TEMPORAL_ADDRESS === null) {
    return [await embeddedTemporal(), ...temporalPage(settings)];
  }
  try {
    const target = await temporalTarget(settings, settings.TEMPORAL_ADDRESS);
    const connection = await Connection.connect({ ...target.options, connectTimeout: '5s' });
    try {
      const client = new Client({ connection, namespace: target.namespace });
      await new Orchestration(client).ping();
      await client.workflowService.describeNamespace({ namespace: target.namespace });
      return [found('Temporal', 'ok', `${target.address}, namespace ${target.namespace}`)];
    } finally {
      await connection.close();
    }
  } catch (error) {
    return [
      found(
        'Temporal',
        'problem',
        `TEMPORAL_ADDRESS or TEMPORAL_NAMESPACE cannot be used: ${message(error)}`,
      ),
    ];
  }
}

async function embeddedTemporal(): Promise<Finding> {
  const cli = await findInstalledCli(process.env, defaultCliCacheDir(process.env), () => undefined);
  if (cli?.version === TEMPORAL_CLI_VERSION)
    return found('Temporal', 'ok', `embedded, ${cli.path}, version ${cli.version}`);
  if (cli !== undefined) {
    const tested = `this product is tested with ${TEMPORAL_CLI_VERSION}`;
    return found('Temporal', 'note', `embedded, ${cli.path}, version ${cli.version}; ${tested}`);
  }
  const [go] = await programsOnPath('go', process.env);
  const otherwise = go === undefined ? 'there is no Go to build it if that fails' : `or builds it with ${go}`;
  return found(
    'Temporal',
    'note',
    `embedded; its server is not on this machine yet: the first start downloads version ${TEMPORAL_CLI_VERSION}, ${otherwise}`,
  );
}

function temporalPage(settings: Settings): Finding[] {
  const page = temporalPageOf(settings);
  return page === null ? [] : [found('TEMPORAL_UI_PORT', 'ok', `workflows can be seen at ${page}`)];
}

const TRACES_MS = 5_000;

/** The service works without a collector, and the spans are lost. */
async function traces(settings: Settings): Promise<Finding[]> {
  const endpoint = tracesEndpointOf(settings);
  if (endpoint === null) return [];
  const shown = withoutPassword(endpoint);
  const url = new URL(endpoint);
  const { username, password } = url;
  const basic = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`);
  // `fetch` refuses a URL with credentials.
  url.username = url.password = '';
  try {
    // An export without spans.
    const { status } = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-protobuf',
        ...(username === '' ? {} : { authorization: `Basic ${basic.toString('base64')}` }),
      },
      signal: AbortSignal.timeout(TRACES_MS),
    });
    return status < 400
      ? [found('traces', 'ok', `${shown} answers`)]
      : [found('traces', 'note', `${shown} answers with ${status}`)];
  } catch (error) {
    const reason = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return [found('traces', 'note', `${shown} does not answer: ${withoutPassword(message(reason))}`)];
  }
}

/** What each extension is for. */
const EXTENSIONS = {
  ducklake: 'a DuckLake warehouse',
  postgres_scanner: 'a DuckLake warehouse',
  httpfs: 'sources and data on other hosts',
  azure: 'sources on az://',
} as const satisfies Record<Extension, string>;

function extensions(settings: Settings): Promise<Finding[]> {
  const { warehouse: location, WAREHOUSE_DATA: data, DUCKDB_EXTENSIONS, DUCKDB_MEMORY_LIMIT } = settings;
  // The data directory may be what is wrong.
  const reader = { spillDirectory: tmpdir(), memoryLimit: DUCKDB_MEMORY_LIMIT, threads: 1 };
  const needed = (extension: Extension): boolean =>
    isDuckLake(location) &&
    extension !== 'azure' &&
    (extension !== 'httpfs' || data?.startsWith('s3:') === true);
  // All at once, because each may wait half a minute for DuckDB's site.
  return Promise.all(
    Object.entries(EXTENSIONS).map(([name, use]) => {
      const extension = name as Extension;
      return probeExtension({ ...reader, extensions: DUCKDB_EXTENSIONS }, extension).then(
        () => found(`extension ${name}`, 'ok', `loads (for ${use})`),
        (error: unknown) =>
          found(
            `extension ${name}`,
            needed(extension) ? 'problem' : 'note',
            `only needed for ${use}: ${message(error)}`,
          ),
      );
    }),
  );
}

async function warehouse(
  settings: Settings,
  loaded: readonly Finding[],
  env: NodeJS.ProcessEnv,
): Promise<Finding[]> {
  try {
    const { version, newest } = await withWarehouseSettings(settings, schemaVersion);
    const opened = found('warehouse', 'ok', withoutPassword(settings.warehouse));
    if (version === 0) return [opened];
    if (version === newest) return [opened, ...(await insideWarehouse(settings, loaded))];
    const refused = whyRefused(version);
    if (refused !== null) return [found('warehouse', 'problem', refused)];
    const next = `the next start upgrades it from version ${version} to ${newest}`;
    return [opened, found('warehouse', 'note', `${next}; doctor --explain-upgrade lists what changes`)];
  } catch (error) {
    const text = message(error);
    return text.includes('another process uses')
      ? [
          found('warehouse', 'note', `${text} (fine if that is the service itself)`),
          await keysOfRunningService(settings, env['COST_ANALYTICS_URL']),
        ]
      : [found('warehouse', 'problem', `WAREHOUSE cannot be opened: ${withoutPassword(text)}`)];
  }
}

/** Checks the sources and sealed texts of a warehouse of this version, because an older one may lack columns that this needs. */
const insideWarehouse = (settings: Settings, loaded: readonly Finding[]): Promise<Finding[]> =>
  withWarehouseSettings(settings, async (how) => {
    const opened = await Warehouse.open(how, []);
    try {
      const organisations = await listOrganisations(opened);
      const shared = sharedFolders(organisations, settings);
      const findings = shared === null ? [] : [found('SOURCE_ROOTS', 'note', shared)];
      const lacking = (['httpfs', 'azure'] as const).filter((extension) =>
        loaded.some(({ subject, state }) => subject === `extension ${extension}` && state !== 'ok'),
      );
      for (const organisation of organisations) {
        for (const extension of lacking) {
          const remote = await remoteSources(opened, organisation, extension);
          if (remote !== null) findings.push(found('sources', 'problem', remote));
        }
        const closed = await closedBuckets(opened, organisation, settings);
        if (closed !== null) findings.push(found('SOURCE_BUCKETS', 'problem', closed));
        const outside = await sourcesOutside(opened, organisation, settings);
        if (outside !== null) findings.push(found('SOURCE_ROOTS', 'problem', outside));
      }
      return [...findings, await masterKeys(await sealedByKeys(opened), settings)];
    } finally {
      opened.close();
    }
  });

/** Checks that the master keys, with which the next start would begin, open everything that is sealed. */
async function masterKeys(sealed: readonly SealedByKey[], settings: Settings): Promise<Finding> {
  let sealer: Sealer | null;
  try {
    const keys = await knownMasterKeys(settings);
    sealer = keys === null ? null : new Sealer(keys.current, keys.previous);
  } catch (error) {
    return found('MASTER_KEY', 'problem', message(error));
  }
  const { state, text } = keyFinding(sealed, sealer, settings.dataDir);
  return found('MASTER_KEY', state === 'ok' ? 'ok' : state === 'rotating' ? 'note' : 'problem', text);
}

/** Checks the master keys of a running service. It holds its DuckDB file, so that it must list what is sealed itself. */
async function keysOfRunningService(settings: Settings, url: string | undefined): Promise<Finding> {
  let sealed: SealedByKey[];
  try {
    const access = await operatorAccess(settings, url);
    sealed = await call(access, sealedTexts, { method: 'GET', path: '/operator/master-key' });
  } catch (error) {
    return found('MASTER_KEY', 'note', `not checked, because the service cannot be asked: ${message(error)}`);
  }
  return masterKeys(sealed, settings);
}

/**
 * `doctor --explain-upgrade`: lists how the numbers of ended months change when this version first opens the warehouse. Changes
 * nothing. Returns false for a DuckLake, which it cannot explain.
 */
export async function explain(env: NodeJS.ProcessEnv, say: (text: string) => void): Promise<boolean> {
  const settings = readSettings(env);
  const explained = await withWarehouseSettings(settings, (how) =>
    explainUpgrade(how, clockOf(settings).now()),
  );
  if (explained === null) {
    say(
      'This command cannot copy a DuckLake. Copy its catalog database, point WAREHOUSE to the copy, and compare the numbers of both versions.',
    );
    return false;
  }
  const { version, newest, changes, lockedMonths } = explained;
  if (version === 0) {
    say('There is no warehouse yet, so there is nothing to upgrade.');
    return true;
  }
  if (version === newest && changes.length === 0) {
    say(`The warehouse has version ${version}, so there is nothing to upgrade.`);
    return true;
  }
  const what = version === newest ? 'The next start' : `An upgrade from version ${version} to ${newest}`;
  say(`${what} changes ${changes.length} numbers of ended months.`);
  for (const change of changes) say(changeInWords(change));
  say(`${lockedMonths} locked months keep their numbers. Nothing was changed.`);
  return true;
}

const amount = (cost: string | null): string => (cost === null ? 'unknown' : `${toWire(cost)}`);

function changeInWords({ organisation, of, name, month, before, after, reason }: ChangedNumber): string {
  const subject = of === 'organisation' ? 'total' : `${of} ${JSON.stringify(name)}`;
  const parts = [fromTo(amount(before.cost), amount(after.cost))];
  if (before.status !== null && after.status !== null) parts.push(fromTo(before.status, after.status));
  return `${organisation}, ${subject}, ${month}: ${parts.join(', ')}: ${reason}`;
}

const fromTo = (before: string, after: string): string =>
  before === after ? after : `${before} -> ${after}`;
