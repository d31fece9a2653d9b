import { randomUUID } from 'node:crypto';
import { mkdir, realpath, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { ingestSource, type IngestResult } from '../../../activities/sources/ingest-source.ts';
import { loadExtension } from '../../../warehouse/engine/opening/extensions.ts';
import { sourceMonths } from '../../../warehouse/sources/coverage.ts';
import {
  updateCostSource,
  type CostSource,
  type NewCostSource,
} from '../../../warehouse/sources/cost-sources.ts';
import type { LoadScope } from '../../../warehouse/sources/publishing/load.ts';
import type { Warehouse } from '../../../warehouse/engine/warehouse.ts';
import type { TestWarehouse } from './engines.ts';
import { ingestOf, loading } from './feeds.ts';
import { choose, type Chosen } from './spend-choices.ts';
import { BY_ADMIN, newOrganisation, newSource, NOW } from './tenant.ts';

/** The tables of loads that must not depend on how a run has read. */
const TABLES = [
  'cloud_spend',
  'account_names',
  'bill_days',
  'kubernetes_spend',
  'cluster_assets',
  'host_spend',
  'ai_tool_spend',
  'ai_usage',
  'load_units',
  'load_doubts',
  'load_commitments',
  'rejected_days',
] as const;

const LOADS = `
SELECT billing_period, cost_column, rows_read, cost_total, first_day, last_day, covered_days, written_through,
  least(delivered_through, CAST(billing_period + INTERVAL 1 MONTH AS DATE) - 1) AS delivered_through
FROM current_loads WHERE org_id = $org ORDER BY ALL`;

const SHOWN = { first: '2025-09', last: '2026-08' } as const;

/** What an ingest did: what it loaded, or why it failed. */
export type Outcome = IngestResult | { error: string };

interface Twin {
  orgId: string;
  source: CostSource;
}

/**
 * Two organisations whose sources have the same files. One reads what has changed, and the other reads everything each time. After
 * each run both must have the same.
 */
export class TwinSources {
  readonly #test: TestWarehouse;
  readonly #twins: readonly [changed: Twin, all: Twin];
  readonly folder: string;

  private constructor(test: TestWarehouse, twins: readonly [Twin, Twin], folder: string) {
    this.#test = test;
    this.#twins = twins;
    this.folder = folder;
  }

  static async create(
    test: TestWarehouse,
    sourceOf: (folder: string) => Partial<NewCostSource> = (folder) => ({ location: folder }),
  ): Promise<TwinSources> {
    const folder = join(await realpath(test.directory), `twins ${randomUUID()}`);
    await mkdir(folder);
    const twin = async (): Promise<Twin> => {
      const { id: orgId } = await newOrganisation(test.warehouse);
      const source = await newSource(test.warehouse, orgId, { name: 'Export', ...sourceOf(folder) });
      return { orgId, source };
    };
    return new TwinSources(test, [await twin(), await twin()], folder);
  }

  get orgId(): string {
    return this.#twins[0].orgId;
  }

  get sourceId(): string {
    return this.#twins[0].source.id;
  }

  async write(files: Readonly<Record<string, string | Buffer>>): Promise<void> {
    for (const [name, content] of Object.entries(files)) {
      const path = join(this.folder, name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, content);
    }
  }

  async remove(...names: readonly string[]): Promise<void> {
    for (const name of names) await rm(join(this.folder, name));
  }

  async change(changes: Parameters<typeof updateCostSource>[3]): Promise<void> {
    for (const twin of this.#twins)
      twin.source =
        (await updateCostSource(this.#test.warehouse, twin.orgId, twin.source.id, changes, BY_ADMIN)) ??
        twin.source;
  }

  async choose(...chosen: readonly Chosen[]): Promise<void> {
    for (const { orgId } of this.#twins) await choose(this.#test, orgId, ...chosen);
  }

  /** Ingests both, and compares them. Returns what the one that reads changes did, with file names below the folder. */
  async ingest(scope: Partial<LoadScope> = {}, readAll = false): Promise<Outcome> {
    const [changed, all] = this.#twins;
    const outcome = await this.#ingest(changed, scope, readAll);
    const expected = await this.#ingest(all, scope, true);
    if ('error' in outcome || 'error' in expected) expect(errorOf(outcome)).toEqual(errorOf(expected));
    else
      for (const note of outcome.notes)
        expect(expected.notes, 'a note that a reading of everything has, too').toContain(note);
    await this.compare();
    return outcome;
  }

  /** Ingests the one that reads changes, and does something else after it has read, before it publishes. */
  async ingestWhile(meanwhile: () => Promise<unknown>): Promise<IngestResult> {
    const [{ orgId, source }] = this.#twins;
    let isDone = false;
    return loading(this.#test, (sessions) => {
      const ingest = ingestOf(this.#test, sessions, { orgId, sourceId: source.id }, { runId: 'run_slow' });
      // The load asks for the lock once it has read.
      const withLock = async (...lock: Parameters<Warehouse['withLock']>): Promise<unknown> => {
        if (!isDone) await meanwhile();
        isDone = true;
        return ingest.warehouse.withLock(...lock);
      };
      const warehouse = new Proxy(ingest.warehouse, {
        get: (of, name) => {
          const member: unknown = name === 'withLock' ? withLock : Reflect.get(of, name, of);
          return typeof member === 'function' ? (member.bind(of) as unknown) : member;
        },
      });
      return ingestSource(source, { ...ingest, warehouse });
    });
  }

  /** Compares what both have loaded. */
  async compare(): Promise<void> {
    const [changed, all] = this.#twins;
    expect(await this.#stateOf(changed)).toEqual(await this.#stateOf(all));
  }

  async #ingest({ orgId, source }: Twin, scope: Partial<LoadScope>, readAll: boolean): Promise<Outcome> {
    const changes = { now: NOW, runId: `run_${randomUUID()}`, ...scope };
    try {
      const result = await loading(this.#test, async (sessions) => {
        if (source.location.startsWith('http'))
          await loadExtension(sessions.reader, 'httpfs', this.#test.settings.extensions);
        return ingestSource(source, {
          ...ingestOf(this.#test, sessions, { orgId, sourceId: source.id }, changes),
          readAll,
        });
      });
      return { ...result, notes: result.notes.map((note) => note.replaceAll(`${this.folder}/`, '')) };
    } catch (error) {
      return {
        error: error instanceof Error ? error.message.replaceAll(`${this.folder}/`, '') : String(error),
      };
    }
  }

  async #stateOf({ orgId, source }: Twin): Promise<object> {
    const { warehouse } = this.#test;
    const state: Record<string, unknown> = {
      loads: await warehouse.query(LOADS, { org: orgId }),
    };
    for (const table of TABLES)
      state[table] = await warehouse.query(
        `SELECT * EXCLUDE (org_id, source_id, load_id) FROM ${table}
         SEMI JOIN current_loads USING (org_id, source_id, load_id, billing_period) WHERE org_id = $org ORDER BY ALL`,
        { org: orgId },
      );
    const months = await warehouse.session((session) => sourceMonths(session, orgId, SHOWN));
    state['months'] = [...months];
    return JSON.parse(JSON.stringify(state).replaceAll(source.id, 'this source')) as object;
  }
}

/** The sentence of an error. The rows that it names as examples are those that were read. */
const errorOf = (outcome: Outcome): string | null =>
  'error' in outcome ? (outcome.error.split(': nothing was loaded')[0] ?? null) : null;
