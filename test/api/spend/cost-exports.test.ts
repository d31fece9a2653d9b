import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Fastify from 'fastify';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { sendTabular } from '../../../api/http/files/tabular.ts';
import { THOROUGH } from '../../support/effort.ts';
import { readArrow } from '../../support/exports/arrow-table.ts';
import { startLocalApi } from '../../support/service/local-api.ts';
import { describeOnBothEngines } from '../../support/warehouse/engines.ts';
import { publishSpend } from '../../support/warehouse/published-spend.ts';
import { newOrganisation, newSource } from '../../support/warehouse/tenant.ts';
import { WAIT_MS } from '../../support/patience.ts';
import { withOpened } from '../../support/with-opened.ts';

/** CSV and Arrow have every row, without a limit. January has 31 days and 5,000 accounts: 155,000 rows. */

const ROWS = 155_000;
const JANUARY = 'start_date=2026-01-01&end_date=2026-01-31';
const CSV = 'text/csv';
const ARROW = 'application/vnd.apache.arrow.stream';
const PARQUET = 'application/vnd.apache.parquet';

describeOnBothEngines('exports of costs', (open, onDuckDb) => {
  const api = withOpened(() => startLocalApi({ open }));
  const readKeyOf = (orgId: string) => api.newKey(orgId, { permission: 'read' });
  let secret: string;
  let total: number;

  beforeAll(async () => {
    const { warehouse } = api;
    const { id: orgId } = await newOrganisation(warehouse);
    const { id: sourceId } = await newSource(warehouse, orgId);
    // Rows of January's first and last day publish the load. The others are added to it afterwards.
    const row = { cloud: 'aws', account: 'one', cost: '0' };
    await publishSpend(warehouse, { orgId, sourceId }, '2026-01', {
      cloud_spend: ['2026-01-01', '2026-01-31'].map((day) => ({ day, ...row })),
    });
    await warehouse.run(
      `INSERT INTO cloud_spend BY NAME
       SELECT org_id, source_id, load_id, billing_period, CAST(DATE '2026-01-01' + CAST(day AS INTEGER) AS DATE) AS day, 'aws' AS cloud,
         'account ' || account AS account, CAST((account * 31 + day + 1) / 1000 AS DECIMAL(38,15)) AS cost
       FROM loads, range(31) AS days(day), range(5000) AS accounts(account) WHERE org_id = $org`,
      { org: orgId },
    );
    const [sum] = await warehouse.query<{ total: string }>(
      'SELECT sum(cost) AS total FROM cloud_spend WHERE org_id = $org',
      { org: orgId },
    );
    total = Number(sum?.total);
    secret = await readKeyOf(orgId);
  });

  const get = (path: string, accept: string, signal?: AbortSignal, key = secret) =>
    fetch(`${api.url}/api/v1${path}`, {
      headers: { 'x-api-key': key, accept },
      ...(signal === undefined ? {} : { signal }),
    });
  const breakdown = `/costs/breakdown?${JANUARY}&group_by=day,account`;
  /** Returns a CSV's header, the number of its rows with an amount, and their sum. */
  const readCsv = async (answer: Response) => {
    const [header, ...rows] = (await answer.text()).trimEnd().split('\r\n');
    const amounts = rows
      .map((line) => Number(line.slice(line.lastIndexOf(',') + 1)))
      .filter((amount) => amount > 0);
    return { header, count: amounts.length, sum: amounts.reduce((sum, amount) => sum + amount, 0) };
  };

  onDuckDb(() => {
    it.each([breakdown, `/costs?${JANUARY}`])('the CSV of %s has every row', async (path) => {
      const { header, count, sum } = await readCsv(await get(path, CSV));
      expect(header).toMatch(/^day,.*total$/);
      expect(count).toBe(ROWS);
      expect(sum).toBeCloseTo(total, 4);
    });
  });

  it('an Arrow stream has every row, in batches of one schema', async () => {
    const { types, rows } = readArrow(await (await get(breakdown, ARROW)).arrayBuffer());
    expect(types).toEqual({
      day: 'DATE',
      account: 'VARCHAR',
      account_name: 'VARCHAR',
      total: 'DECIMAL(38,6)',
    });
    const amounts = rows.map((row) => Number(row['total'])).filter((amount) => amount > 0);
    expect(amounts).toHaveLength(ROWS);
    expect(amounts.reduce((sum, amount) => sum + amount, 0)).toBeCloseTo(total, 4);
  });

  /** Stores a Parquet answer as a file, and returns it as a relation. */
  const storeParquet = async (answer: Response): Promise<string> => {
    expect(answer.headers.get('content-type')).toBe(PARQUET);
    const file = join(api.directory, `${randomUUID()}.parquet`);
    await writeFile(file, Buffer.from(await answer.arrayBuffer()));
    return `read_parquet('${file}')`;
  };

  it('a Parquet file has every row, with days as dates and exact totals', async () => {
    for (const path of [breakdown, `/costs?${JANUARY}`]) {
      const file = await storeParquet(await get(path, PARQUET));
      const columns = await api.warehouse.query<{ column_name: string; column_type: string }>(
        `DESCRIBE FROM ${file}`,
      );
      const types = columns.map(({ column_name, column_type }) => `${column_name} ${column_type}`);
      expect([types[0], types.at(-1)]).toEqual(['day DATE', 'total DECIMAL(38,6)']);
      const [sum] = await api.warehouse.query<{ rows: string; total: string }>(
        `SELECT count(*) FILTER (total > 0) AS rows, sum(total) AS total FROM ${file}`,
      );
      expect(Number(sum?.rows)).toBe(ROWS);
      expect(Number(sum?.total)).toBe(total);
    }
  });

  it('Parquet and Arrow have the rows of JSON, rounded alike, also in pages', async () => {
    const { id: orgId } = await newOrganisation(api.warehouse);
    const { id: sourceId } = await newSource(api.warehouse, orgId);
    const costs = { large: '12345678901.1234565', half: '0.0000005', refund: '-0.0000015', '=1+1': '7' };
    await publishSpend(api.warehouse, { orgId, sourceId }, '2026-01', {
      cloud_spend: Object.entries(costs).map(([account, cost]) => ({
        day: '2026-01-05',
        cloud: 'aws',
        account,
        cost,
      })),
    });
    const key = await readKeyOf(orgId);
    const rowsOf = async (answer: Response) => {
      const rows =
        answer.headers.get('content-type') === ARROW
          ? readArrow(await answer.arrayBuffer()).rows
          : await api.warehouse.query<Record<string, string | null>>(`FROM ${await storeParquet(answer)}`);
      return rows.map((row) => ({ ...row, total: Number(row['total']) }));
    };
    const path = `/costs/breakdown?${JANUARY}&group_by=account,day`;
    const json = (await (await get(path, 'application/json', undefined, key)).json()) as { data: object[] };
    const row = { day: '2026-01-05', account_name: null };
    expect(json.data).toEqual([
      { ...row, account: 'large', total: 12345678901.123457 },
      { ...row, account: '=1+1', total: 7 },
      { ...row, account: 'half', total: 0.000001 },
      { ...row, account: 'refund', total: -0.000002 },
    ]);
    for (const type of [PARQUET, ARROW]) {
      expect(await rowsOf(await get(path, type, undefined, key))).toEqual(json.data);
      const first = await get(`${path}&limit=3`, type, undefined, key);
      const cursor = first.headers.get('x-next-cursor') ?? '';
      const second = await get(`${path}&limit=3&cursor=${cursor}`, type, undefined, key);
      expect(second.headers.get('x-next-cursor')).toBeNull();
      expect([...(await rowsOf(first)), ...(await rowsOf(second))]).toEqual(json.data);
    }
  });

  it('a range without spend has only its header', async () => {
    const nothing = '/costs/breakdown?start_date=2025-01-01&end_date=2025-01-31&group_by=day';
    expect(await (await get(nothing, CSV)).text()).toBe('day,total\r\n');
    expect(readArrow(await (await get(nothing, ARROW)).arrayBuffer())).toEqual({
      types: { day: 'DATE', total: 'DECIMAL(38,6)' },
      rows: [],
    });
    const file = await storeParquet(await get(nothing, PARQUET));
    expect(await api.warehouse.query(`FROM ${file}`)).toEqual([]);
  });

  it('a limit pages CSV, and JSON that is cut has a cursor', async () => {
    const page = await get(`${breakdown}&limit=10`, CSV);
    expect((await readCsv(page)).count).toBe(10);
    const cursor = page.headers.get('x-next-cursor') ?? '';
    expect((await readCsv(await get(`${breakdown}&limit=10&cursor=${cursor}`, CSV))).count).toBe(10);
    const json = (await (await get(breakdown, 'application/json')).json()) as {
      data: unknown[];
      next_cursor: string | null;
    };
    expect(json.data).toHaveLength(100_000);
    expect(json.next_cursor).not.toBeNull();
  });

  onDuckDb(() => {
    it('callers who read nothing keep no place, neither of their organisation nor of others', async () => {
      const leave = new AbortController();
      const answers: Response[] = [];
      // Two run at once. The others wait until these are made, and not until they are read.
      const opened = Array.from({ length: 6 }, () =>
        get(breakdown, CSV, leave.signal).then(
          (answer) => answers.push(answer),
          () => null,
        ),
      );
      await vi.waitFor(() => {
        expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
      }, WAIT_MS);
      const { id: otherOrg } = await newOrganisation(api.warehouse);
      const other = await readKeyOf(otherOrg);
      for (const key of [secret, other])
        for (const accept of [CSV, 'application/json', PARQUET]) {
          const answer = await get(breakdown, accept, undefined, key);
          expect(answer.status).toBe(200);
          await answer.arrayBuffer();
        }
      // What was made meanwhile is whole.
      const [unread] = answers;
      if (unread === undefined) throw new Error('expected an answer');
      expect((await readCsv(unread)).count).toBe(ROWS);
      leave.abort();
      await Promise.all(opened);
    });
  });

  it.runIf(THOROUGH)('clients that abort halfway free their connections', async () => {
    // More than an organisation may run at once.
    for (let index = 0; index < 12; index += 1) {
      const leave = new AbortController();
      const answer = await get(breakdown, CSV, leave.signal);
      await answer.body?.getReader().read();
      leave.abort();
    }
    expect((await readCsv(await get(breakdown, CSV))).count).toBe(ROWS);
  });
});

describe('an export that fails halfway', () => {
  const failing = Fastify({ loggerInstance: pino({ level: 'silent' }) });
  const batches = async function* (count: number) {
    for (let index = 0; index < count; index += 1)
      yield await Promise.resolve(Array.from({ length: 1000 }, (_, row) => ({ row: `${index} ${row}` })));
    throw new Error('the disk is gone');
  };
  for (const [path, type] of [
    ['/csv', CSV],
    ['/arrow', ARROW],
  ] as const)
    failing.get<{ Params: { count: string } }>(`${path}/:count`, (request, reply) =>
      sendTabular(reply, type, 'rows', {
        columns: { row: 'VARCHAR' },
        batches: batches(Number(request.params.count)),
      }),
    );

  afterAll(() => failing.close());

  it.each(['csv', 'arrow'])('aborts the connection of %s', async (path) => {
    const base = await failing.listen({ host: '127.0.0.1', port: 0 }).catch(() => failing.listeningOrigin);
    const answer = await fetch(`${base}/${path}/500`);
    expect(answer.status).toBe(200);
    await expect(answer.arrayBuffer()).rejects.toThrow();
    // A failure before the first batch returns an ordinary error.
    expect((await fetch(`${base}/${path}/0`)).status).toBe(500);
  });
});
