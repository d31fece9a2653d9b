import { readFile } from 'node:fs/promises';
import { dayLine } from '../exports/focus-export.ts';
import type { Api } from '../service/api-client.ts';
import { create, createMetric } from '../service/create.ts';
import { loadBill } from '../service/load-bill.ts';
import type { SharedService } from '../service/shared-service.ts';

/** The paths of all pages by their names. `{metric}`, `{team}` and `{source}` stand for ids. */
const PAGES = JSON.parse(await readFile(new URL('pages.json', import.meta.url), 'utf8')) as Record<
  string,
  string
>;

/** The names of all pages. */
export const PAGE_NAMES = Object.keys(PAGES);

/** Gives an organisation a bill, a metric and a team. Returns the paths of its pages by their names. */
export async function pathsOfPages(service: SharedService, admin: Api): Promise<Map<string, string>> {
  const source = await loadBill(service, admin, [dayLine('2026-01-31', '25'), dayLine('2026-02-05', '7')]);
  const metric = await createMetric(admin, {}, [{ period: '2026-01-31', value: 7 }]);
  const ids = new Map([
    ['{metric}', metric],
    ['{team}', await create(admin, '/teams', { name: 'Shop' })],
    ['{source}', source],
  ]);
  return new Map(
    Object.entries(PAGES).map(([name, path]) => [
      name,
      path.replace(/\{\w+\}/, (kind) => ids.get(kind) ?? kind),
    ]),
  );
}
