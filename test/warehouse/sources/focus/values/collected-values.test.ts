import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { someOf } from '../../../../support/effort.ts';
import { describeOnBothEngines } from '../../../../support/warehouse/engines.ts';
import { dayLine, focusCsv, type FocusLine } from '../../../../support/exports/focus-export.ts';
import { choose, type Chosen } from '../../../../support/warehouse/spend-choices.ts';
import {
  loadPaths,
  loadText,
  money,
  newOrganisation,
  newSource,
  writeFiles,
} from '../../../../support/warehouse/tenant.ts';
import { withOpened } from '../../../../support/with-opened.ts';

const DAY = '2026-01-10';
const teamOf = (cloud: string, firstDay = '2026-01-01', key = 'team'): Chosen => ({
  kind: 'tag',
  cloud,
  choice: key,
  firstDay,
});
const splitOf = (account: string, choice: string, firstDay = '2026-01-01', cloud = 'aws'): Chosen => ({
  kind: 'split',
  cloud,
  account,
  choice,
  firstDay,
});

describeOnBothEngines('the tags and splits of a FOCUS export', (open, onDuckDb) => {
  const test = withOpened(open);

  const newTarget = async (...chosen: Chosen[]) => {
    const { id: orgId } = await newOrganisation(test.warehouse);
    await choose(test, orgId, ...chosen);
    return { orgId, sourceId: (await newSource(test.warehouse, orgId)).id };
  };
  type Target = Awaited<ReturnType<typeof newTarget>>;
  const rowsOf = <Row extends object>(select: string, { orgId }: Target): Promise<Row[]> =>
    test.warehouse.query<Row>(
      `SELECT ${select} AS cost
       FROM cloud_spend JOIN current_loads USING (org_id, source_id, load_id, billing_period)
       WHERE org_id = $org GROUP BY ALL ORDER BY ALL`,
      { org: orgId },
    );
  /** Returns costs as `{ 'checkout': '5.00…' }`, with rows without a value under `-`. */
  const by = async (value: 'tag' | 'split', target: Target): Promise<Record<string, string>> => {
    const rows = await rowsOf<{ value: string | null; cost: string }>(
      `${value}_value AS value, sum(cost)`,
      target,
    );
    return Object.fromEntries(rows.map((row) => [row.value ?? '-', row.cost]));
  };
  /** Returns the value of `key` in each of these tags. Each is a row of its own account. */
  const valuesOf = async (tags: readonly string[], key = 'team') => {
    const target = await newTarget(teamOf('aws', '2026-01-01', key));
    const lines = tags.map((text, index) =>
      dayLine(DAY, '1', { Tags: text, SubAccountId: String(index).padStart(3, '0') }),
    );
    const { rowsRejected } = await loadText(test, target, focusCsv(lines));
    expect(rowsRejected).toBe(0);
    return storedValues(target, key);
  };
  const storedValues = async (target: Target, key = 'team') => {
    const rows = await rowsOf<{ account: string; tag_key: string | null; tag_value: string | null }>(
      'account, tag_key, tag_value, sum(cost)',
      target,
    );
    for (const row of rows) expect(row.tag_key).toBe(row.tag_value === null ? null : key);
    return rows.map(({ tag_value }) => tag_value);
  };
  const tagged = (day: string, cost: string, team: string, more: FocusLine = {}): FocusLine =>
    dayLine(day, cost, { Tags: JSON.stringify({ team }), ...more });

  it('are not stored if nothing is chosen', async () => {
    const target = await newTarget();
    await loadText(test, target, focusCsv([tagged(DAY, '1', 'a'), tagged(DAY, '2', 'b')]));
    expect(await rowsOf('split_kind, split_value, tag_key, tag_value, count(*), sum(cost)', target)).toEqual([
      {
        split_kind: null,
        split_value: null,
        tag_key: null,
        tag_value: null,
        'count_star()': '1',
        cost: money('3'),
      },
    ]);
  });

  it('add up by the value of the chosen key', async () => {
    const target = await newTarget(teamOf('aws'));
    const lines = [tagged(DAY, '1', 'a'), tagged(DAY, '2', 'b'), tagged(DAY, '4', 'a'), dayLine(DAY, '8')];
    await loadText(test, target, focusCsv(lines));
    expect(await by('tag', target)).toEqual({ a: money('5'), b: money('2'), '-': money('8') });
  });

  onDuckDb(() => {
    describe('in JSON text', () => {
      it('have keys of Azure in any case, and keys of other clouds exactly', async () => {
        // Of 10 + 20 + 40 a bill of Azure has 30 in the team web, and 40 in none.
        const lines = [
          dayLine(DAY, '10', { ProviderName: 'Microsoft', Tags: '{"Team": "web"}' }),
          dayLine(DAY, '20', { ProviderName: 'Microsoft', Tags: '{"x": "team", "TEAM": "web"}' }),
          dayLine(DAY, '40', { ProviderName: 'Microsoft', Tags: '{"teams": "web"}' }),
          dayLine(DAY, '1', { ProviderName: 'AWS', Tags: '{"Team": "web"}' }),
          dayLine(DAY, '2', { ProviderName: 'AWS', Tags: '{"team": "web"}' }),
        ];
        const target = await newTarget(
          teamOf('azure', '2026-01-01', 'team'),
          teamOf('aws', '2026-01-01', 'team'),
        );
        await loadText(test, target, focusCsv(lines));
        const rows = await rowsOf<{ cloud: string; tag_value: string | null; cost: string }>(
          'cloud, tag_value, sum(cost)',
          target,
        );
        expect(rows.map((row) => [row.cloud, row.tag_value, Number(row.cost)])).toEqual([
          ...[
            ['aws', 'web', 2],
            ['aws', null, 1],
            ['azure', 'web', 30],
            ['azure', null, 40],
          ],
        ]);
      });

      it('have one value for both encodings of a letter, and for blanks around it', async () => {
        const values = ['Re\u0301union', 'R\u00e9union', ' R\u00e9union\u00a0', 'Reunion'];
        expect(await valuesOf(values.map((value) => JSON.stringify({ team: value })))).toEqual([
          'R\u00e9union',
          'R\u00e9union',
          'R\u00e9union',
          'Reunion',
        ]);
      });

      it('may begin with a byte order mark', async () => {
        expect(await valuesOf(['\ufeff{"team":"a"}', '{"team":"b"}'])).toEqual(['a', 'b']);
      });

      it('may have spaces around keys and values, and take the first of equal keys', async () => {
        const cases: [tags: string, value: string | null][] = [
          ['{"team":"a"}', 'a'],
          ['{" team":"b"}', 'b'],
          ['{"team ":"c"}', 'c'],
          ['{"  team  " : " d d "}', 'd d'],
          ['{"team":"first"," team":"second"}', 'first'],
          ['{" team":"first","team":"second"}', 'first'],
          ['{"team":"first","team":"second"}', 'first'],
          ['{"team ":"first","team ":"second"}', 'first'],
          ['{"x":" team is not a key","team":"e"}', 'e'],
          ['{"x":"the team here"}', null],
          ['{"Team":"x"}', null], // keys differ by case
          ['{"te am":"x"}', null],
          ['{"\\u0074eam":"f"}', 'f'],
          ['{"\\u0020team":"g"}', 'g'],
          ['{"x":"back\\\\slash","team":"h"}', 'h'],
          ['  \n{"team":"i"}\n', 'i'],
          ['{"other":{"team":"x"}}', null],
        ];
        const found = await valuesOf(cases.map(([tags]) => tags));
        expect(cases.map(([tags], index) => [tags, found[index]])).toEqual(cases);
      });

      it('have values of every type as text, but no value for null', async () => {
        const cases: [tags: string, value: string | null][] = [
          ['{"team":12}', '12'],
          ['{"team":-1.5}', '-1.5'],
          ['{"team":123456789012345678901234567890}', '123456789012345678901234567890'],
          ['{"team":true}', 'true'],
          ['{"team":false}', 'false'],
          ['{"team":null}', null],
          ['{"team":""}', ''],
          ['{"team":"null"}', 'null'],
          ['{"team":"NULL"}', 'NULL'],
          ['{"team":{"x": [1, "y"]}}', '{"x":[1,"y"]}'],
          ['{"team":[]}', '[]'],
          ['{"team":"a \\"quoted\\" one, \\u00fc"}', 'a "quoted" one, ü'],
          ['{"team":"line\\nbreak"}', 'line\nbreak'],
          ['{" team":null,"team":"x"}', null], // the first of equal keys has no value
        ];
        const found = await valuesOf(cases.map(([tags]) => tags));
        expect(cases.map(([tags], index) => [tags, found[index]])).toEqual(cases);
      });

      it('are empty if they cannot be read', async () => {
        const broken = [
          '',
          'NULL',
          'null',
          '{}',
          '{',
          'team=a',
          '{"team":"a"',
          '{"team":"a"} b',
          '[]',
          '"team"',
        ];
        const worse = ['{"team":"\\ud800"}', '[{"key":"team","value":"a"}]', '12', '   ', '{team:"a"}', '\t'];
        const found = await valuesOf([...broken, ...worse, '{"team":"a"}']);
        expect(found).toEqual([...[...broken, ...worse].map(() => null), 'a']);
      });

      const keys = [
        `it's "quoted"`,
        'a.b/c~d',
        '~1',
        '$',
        '$.team',
        '*',
        '0',
        '-',
        'aws:createdBy',
        'ключ',
        'a b',
        'back\\slash',
        `'); DROP TABLE loads; --`,
        '$key',
        '%',
        'x'.repeat(300),
        '{"team":',
      ];
      it.each(someOf(keys, 6))('may have the key %j', async (key) => {
        const text = (name: string, value: string) => JSON.stringify({ other: 'x', [name]: value });
        expect(
          await valuesOf([text(key, 'fast'), text(` ${key}`, 'slow'), '["a","b"]', '{"team":"x"}'], key),
        ).toEqual(['fast', 'slow', null, null]);
      });

      it('do not fail the load if the key contains a NUL character', async () => {
        expect(await valuesOf(['{"team":"a"}'], 'te\0am')).toEqual([null]);
      });
    });
  });

  onDuckDb(() => {
    describe('in Parquet', () => {
      const valuesIn = async (tags: string, key = 'team', [cloud, provider] = ['aws', 'AWS']) => {
        const target = await newTarget(teamOf(cloud, '2026-01-01', key));
        const [placeholder = ''] = await writeFiles(test, { placeholder: '' });
        const path = join(placeholder, '../focus.parquet');
        await test.warehouse.run(
          `COPY (
           SELECT '${provider}' AS ProviderName, lpad(n::VARCHAR, 3, '0') AS SubAccountId, 'USD' AS BillingCurrency,
             TIMESTAMP '2026-01-10' AS ChargePeriodStart, TIMESTAMP '2026-01-10 01:00:00' AS ChargePeriodEnd,
             TIMESTAMP '2026-01-01' AS BillingPeriodStart, 1.0 AS EffectiveCost, 0.0 AS BilledCost,
             -- Columns with the names that a lambda may use for its parameters.
             tags AS Tags, 'x' AS e, 'x' AS k, 'x' AS "key"
           FROM (SELECT row_number() OVER () AS n, tags FROM (SELECT unnest(${tags}) AS tags)))
         TO '${path}' (FORMAT parquet)`,
        );
        await loadPaths(test, target, [path]);
        return storedValues(target, key);
      };

      it('may be text, or JSON', async () => {
        const texts = `['{"team":"a"}', '{" team":12}', '', 'NULL', '{', NULL]`;
        expect(await valuesIn(texts)).toEqual(['a', '12', null, null, null, null]);
        expect(await valuesIn(`['{"team":"a"}'::JSON, '{"team":null}'::JSON, '[]'::JSON]`)).toEqual([
          'a',
          null,
          null,
        ]);
      });

      it('have keys of Azure in any case, and keys of other clouds exactly', async () => {
        const spelled = [`MAP {'TEAM': 'a', 'x': 'y'}`, `MAP {' team ': 'b'}`, `MAP {'Team': NULL}`, `MAP {'te': 'c'}`];
        const structs = [`{'Team': 'a', 'x': 'y'}`, `{'Team': NULL, 'x': 'y'}`];
        const lists = [`[{'key': 'TeAm', 'value': 'a'}]`, `[{'key': 'tea', 'value': 'b'}]`];
        for (const [tags, values] of [
          [spelled, ['a', 'b', null, null]],
          [structs, ['a', null]],
          [lists, ['a', null]],
        ] as const) {
          expect(await valuesIn(`[${tags.join(', ')}]`, 'tEAM', ['azure', 'Microsoft'])).toEqual(values);
          expect(await valuesIn(`[${tags.join(', ')}]`, 'tEAM')).toEqual(tags.map(() => null));
        }
      }); // prettier-ignore

      it('may be maps of texts, numbers, booleans or structures', async () => {
        expect(
          await valuesIn(
            `[MAP {'team': 'a'}, MAP {' team ': ' b '}, MAP {'x': 'y', 'team ': 'c', 'team': 'd'}, MAP {'Team': 'x'},
            MAP {'team': NULL}, MAP {}, NULL, MAP {'team': ''}, MAP {'a team': 'x', 'team': 'e "f"'}]`,
          ),
        ).toEqual(['a', 'b', 'c', null, null, null, null, '', 'e "f"']);
        expect(await valuesIn(`[MAP {'team': 12}, MAP {'team': NULL}]`)).toEqual(['12', null]);
        expect(await valuesIn(`[MAP {'team': true}, MAP {' team': false}]`)).toEqual(['true', 'false']);
        expect(await valuesIn(`[MAP {'team': {'x': [1, 2]}}]`)).toEqual(['{"x":[1,2]}']);
        expect(await valuesIn(`[MAP {12: 'a'}, MAP {7: 'b'}]`, '12')).toEqual(['a', null]);
      });

      it('may be structures, in which null means that the row does not have the tag', async () => {
        expect(
          await valuesIn(
            `[{'team': 'a', ' team': NULL, 'n': 1}, {'team': NULL, ' team': 'b', 'n': 1},
            {'team': 'c', ' team': 'd', 'n': 1}, {'team': NULL, ' team': NULL, 'n': 1}, NULL]`,
          ),
        ).toEqual(['a', 'b', 'c', null, null]);
        expect(
          await valuesIn(`[{'n': 12, 'cost center': true}, {'n': NULL, 'cost center': false}]`, 'n'),
        ).toEqual(['12', null]);
        expect(await valuesIn(`[{'cost center': true}]`, 'cost center')).toEqual(['true']);
        expect(await valuesIn(`[{'n': 12}]`)).toEqual([null]);
      });

      it('may be lists of keys and values', async () => {
        expect(
          await valuesIn(
            `[[{'key': 'x', 'value': 'y'}, {'key': 'team', 'value': 'a'}], [{'key': ' team', 'value': 'b'}, {'key': 'team', 'value': 'c'}],
            [{'key': 'team', 'value': NULL}, NULL], [], NULL, [NULL, {'key': NULL, 'value': 'x'}, {'key': 'team', 'value': 'd'}]]`,
          ),
        ).toEqual(['a', 'b', null, null, null, 'd']);
        expect(await valuesIn(`[[{'Value': 12, 'Key': 'team'}]]`)).toEqual(['12']);
      });

      it('are empty in any other form', async () => {
        expect(await valuesIn(`[[{'name': 'team', 'value': 'x'}]]`)).toEqual([null]);
        expect(await valuesIn(`[['team']]`)).toEqual([null]);
        expect(await valuesIn('[12, NULL]')).toEqual([null, null]);
      });
    });
  });

  it('begin with the day of the first use of the key, also within a charge that spans it', async () => {
    // 31 over January is 1 a day: 9 days before the 10th, 22 days from the 10th on.
    const month = { ChargePeriodStart: '2026-01-01T00:00:00Z', ChargePeriodEnd: '2026-02-01T00:00:00Z' };
    const target = await newTarget(teamOf('aws', DAY), splitOf('1111', 'service', '2026-01-20'));
    await loadText(
      test,
      target,
      focusCsv([
        tagged('2026-01-09', '100', 'a'),
        tagged(DAY, '200', 'a'),
        tagged('2026-01-01', '31', 'a', month),
        tagged('2026-01-01', '62', 'b', month),
      ]),
    );
    expect(await by('tag', target)).toEqual({ '-': money('127'), a: money('222'), b: money('44') }); // 100 + 27
    expect(await by('split', target)).toEqual({ '-': money('357'), 'Amazon RDS': money('36') }); // 12 × 3
    const rows = await rowsOf<{ day: string; cost: string }>('day, count(*)', target);
    expect(rows.map(({ cost }) => Number(cost))).toEqual(
      Array.from({ length: 31 }, (_, index) => (index < 9 ? 1 : 2)), // one row a day, then one of a and one of b
    );
  });

  it('may have a different key for each cloud of one export', async () => {
    const target = await newTarget(
      teamOf('aws'),
      teamOf('azure', '2026-01-11', 'Cost Center'),
      teamOf('acme'),
    );
    const tags = { Tags: JSON.stringify({ team: 'a', ' Cost Center': 'c' }) };
    const line = (provider: string, cost: string, day = DAY) =>
      dayLine(day, cost, { ...tags, ProviderName: provider });
    await loadText(
      test,
      target,
      focusCsv([
        line('AWS', '1'),
        line('Amazon Web Services', '2'),
        line('Microsoft', '4'),
        line('Microsoft', '8', '2026-01-11'),
        line('Google', '16'),
        line('ACME ', '32'),
      ]),
    );
    expect(await rowsOf('cloud, tag_key, tag_value, sum(cost)', target)).toEqual([
      { cloud: 'acme', tag_key: 'team', tag_value: 'a', cost: money('32') },
      { cloud: 'aws', tag_key: 'team', tag_value: 'a', cost: money('3') },
      { cloud: 'azure', tag_key: 'Cost Center', tag_value: 'c', cost: money('8') },
      { cloud: 'azure', tag_key: null, tag_value: null, cost: money('4') },
      { cloud: 'gcp', tag_key: null, tag_value: null, cost: money('16') },
    ]);
  });

  it('split one account by service, another by resource group, and no others', async () => {
    const target = await newTarget(
      splitOf('1111', 'service'),
      splitOf('2222', 'resource_group', '2026-01-01', 'azure'),
      splitOf('1111', 'resource_group', '2026-01-01', 'azure'),
    );
    const line = (provider: string, account: string, service: string, cost: string, more: FocusLine = {}) =>
      dayLine(DAY, cost, { ProviderName: provider, SubAccountId: account, ServiceName: service, ...more });
    const id = (group: string) => ({ ResourceId: `/subscriptions/1/${group}/providers/x` });
    await loadText(
      test,
      target,
      focusCsv([
        line('AWS', '1111', 'EC2', '1'),
        line('AWS', '1111', 'S3', '2'),
        line('AWS', '1111', 'NULL', '4'),
        line('AWS', '2222', 'EC2', '8'), // aws has no split for this account
        line('AWS', '3333', 'EC2', '16'),
        // The name is in its own column, otherwise in the id, in any letter case.
        line('Microsoft', '2222', 'VM', '32', {
          x_ResourceGroupName: 'RG-One',
          ...id('resourceGroups/other'),
        }),
        line('Microsoft', '2222', 'VM', '64', id('resourcegroups/rg-one')),
        line('Microsoft', '2222', 'VM', '128', id('RESOURCEGROUPS/Rg-Two')),
        line('Microsoft', '2222', 'VM', '256', { ResourceId: '/subscriptions/1/resourceGroups/rg-two' }),
        line('Microsoft', '2222', '', '512', id('resourceGroups')),
        line('Microsoft', '1111', 'VM', '1024', id('resourceGroups/rg-one')),
      ]),
    );
    expect(await rowsOf('cloud, account, split_kind, split_value, sum(cost)', target)).toEqual([
      { cloud: 'aws', account: '1111', split_kind: 'service', split_value: 'EC2', cost: money('1') },
      { cloud: 'aws', account: '1111', split_kind: 'service', split_value: 'S3', cost: money('2') },
      { cloud: 'aws', account: '1111', split_kind: null, split_value: null, cost: money('4') },
      { cloud: 'aws', account: '2222', split_kind: null, split_value: null, cost: money('8') },
      { cloud: 'aws', account: '3333', split_kind: null, split_value: null, cost: money('16') },
      {
        cloud: 'azure',
        account: '1111',
        split_kind: 'resource_group',
        split_value: 'rg-one',
        cost: money('1024'),
      },
      {
        cloud: 'azure',
        account: '2222',
        split_kind: 'resource_group',
        split_value: 'providers',
        cost: money('512'),
      },
      {
        cloud: 'azure',
        account: '2222',
        split_kind: 'resource_group',
        split_value: 'rg-one',
        cost: money('96'),
      },
      {
        cloud: 'azure',
        account: '2222',
        split_kind: 'resource_group',
        split_value: 'rg-two',
        cost: money('384'),
      },
    ]);
  });

  onDuckDb(() => {
    it('use the billing account if there is no sub account, among many split accounts', async () => {
      const accounts = Array.from({ length: 60 }, (_, index) => `it's ${index}`);
      const target = await newTarget(...accounts.map((account) => splitOf(account, 'service')));
      const lines = [...accounts, 'whole'].map((account) =>
        dayLine(DAY, '1', { SubAccountId: 'NULL', BillingAccountId: account, ServiceName: 'EC2' }),
      );
      await loadText(test, target, focusCsv(lines));
      expect(await by('split', target)).toEqual({ EC2: money('60'), '-': money('1') });
    });
  });

  it('follow the choices at the time of the load, and older loads keep their values', async () => {
    const target = await newTarget();
    const both = (day: string, cost: string) => dayLine(day, cost, { Tags: '{"team":"a","env":"prod"}' });
    const december = focusCsv([both('2025-12-10', '1')]);
    const january = focusCsv([both(DAY, '2')]);
    await loadText(test, target, january);
    const found = () => rowsOf('billing_period, tag_key, tag_value, sum(cost)', target);
    const none = { tag_key: null, tag_value: null };
    const team = { tag_key: 'team', tag_value: 'a' };
    const [inDecember, inJanuary] = [
      { billing_period: '2025-12-01', cost: money('1') },
      { billing_period: '2026-01-01', cost: money('2') },
    ];
    expect(await found()).toEqual([{ ...inJanuary, ...none }]);
    await choose(test, target.orgId, teamOf('aws', '2025-12-01'));
    expect(await found()).toEqual([{ ...inJanuary, ...none }]);
    await loadText(test, target, january + december.slice(december.indexOf('\n') + 1));
    expect(await found()).toEqual([
      { ...inDecember, ...team },
      { ...inJanuary, ...team },
    ]);
    // Nothing has picked the key for long, and another one is set. December is not loaded again, so it stays as it was.
    await choose(test, target.orgId, { ...teamOf('aws', '2025-12-01'), unusedSince: '2025-12-02' });
    await loadText(test, target, january);
    expect(await found()).toEqual([
      { ...inDecember, ...team },
      { ...inJanuary, ...none },
    ]);
    await choose(test, target.orgId, teamOf('aws', '2026-01-01', 'env'));
    await loadText(test, target, january);
    expect(await found()).toEqual([
      { ...inDecember, ...team },
      { ...inJanuary, tag_key: 'env', tag_value: 'prod' },
    ]);
  });

  it('are collected in a fallback to BilledCost too', async () => {
    const target = await newTarget(teamOf('aws'), splitOf('1111', 'service'));
    const lines = [tagged(DAY, '1', 'a'), tagged(DAY, '2', 'b')].map((line) => ({
      ...line,
      EffectiveCost: '0',
    }));
    const { notes } = await loadText(test, target, focusCsv(lines));
    expect(notes).toHaveLength(1);
    expect(await rowsOf('split_value, tag_value, sum(cost)', target)).toEqual([
      { split_value: 'Amazon RDS', tag_value: 'a', cost: money('1') },
      { split_value: 'Amazon RDS', tag_value: 'b', cost: money('2') },
    ]);
  });

  onDuckDb(() => {
    it('are empty in files without the columns', async () => {
      const target = await newTarget(
        teamOf('aws'),
        splitOf('1111', 'service'),
        splitOf('2222', 'resource_group'),
      );
      const columns = [
        'ProviderName',
        'SubAccountId',
        'BillingCurrency',
        'ChargePeriodStart',
        'ChargePeriodEnd',
      ];
      const lines = ['1111', '2222'].map((account) => tagged(DAY, '1', 'a', { SubAccountId: account }));
      const files = {
        'bare.csv': focusCsv(lines, [...columns, 'BillingPeriodStart', 'EffectiveCost', 'BilledCost']),
        'full.csv': focusCsv(lines),
      };
      await loadPaths(test, target, await writeFiles(test, files));
      expect(await by('tag', target)).toEqual({ '-': money('2'), a: money('2') });
      expect(await by('split', target)).toEqual({ '-': money('3'), 'Amazon RDS': money('1') });
    });
  });

  it('do not follow the choices of another organisation', async () => {
    await newTarget(teamOf('aws'), splitOf('1111', 'service'));
    const target = await newTarget();
    await loadText(test, target, focusCsv([tagged(DAY, '1', 'a')]));
    expect(await by('tag', target)).toEqual({ '-': money('1') });
    expect(await by('split', target)).toEqual({ '-': money('1') });
  });
});
