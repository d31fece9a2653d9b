import { describe, expect, it } from 'vitest';
import { someOf } from '../../support/effort.ts';
import { soundExports } from '../../support/exports/sound-exports.ts';
import { soundSetUps, wrongSetUps } from '../../support/exports/wrong-set-ups.ts';
import { checksOf } from '../../support/service/checks.ts';
import { startLocalApi } from '../../support/service/local-api.ts';
import { ingestExports } from '../../support/service/local-ingest.ts';
import { withOpened } from '../../support/with-opened.ts';

describe('a look at a source before it is connected', () => {
  const api = withOpened(startLocalApi);
  const { check } = checksOf(api);

  it.each(Object.entries(wrongSetUps()))('says what to change about %s', async (_, setUp) => {
    const { ok, problems, warnings } = await check(setUp);
    if (setUp.problem === undefined) expect(problems).toEqual([]);
    else expect(problems).toContainEqual(expect.stringMatching(setUp.problem));
    if (setUp.warning !== undefined) expect(warnings).toContainEqual(expect.stringMatching(setUp.warning));
    expect(ok).toBe(setUp.problem === undefined);
  });

  it.each(Object.entries(soundSetUps()))('finds nothing wrong with %s', async (_, setUp) => {
    const { ok, problems, warnings } = await check(setUp);
    expect({ ok, problems, warnings }).toEqual({ ok: true, problems: [], warnings: [] });
  });

  // The last source of each is looked at beside the others, which are connected.
  it.each(someOf(Object.entries(soundExports()), 8))(
    'finds no problem in an export of %s',
    async (_, sources) => {
      const tenant = await api.newTenant();
      await ingestExports(api, tenant.orgId, sources.slice(0, -1));
      const [{ kind, files, second }] = sources.slice(-1) as [(typeof sources)[0] & object];
      const packed = Object.fromEntries(
        Object.entries(files).map(([name, text]) => [name.replace(/\.gz$/, ''), text]),
      );
      expect(
        (await check({ kind, files: packed, ...(second === undefined ? {} : { second }) }, tenant)).problems,
      ).toEqual([]);
    },
  );
});
