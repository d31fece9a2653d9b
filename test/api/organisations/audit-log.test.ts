import { expect, it } from 'vitest';
import { audit, type AuditAction } from '../../../warehouse/engine/records/audit-log.ts';
import { as } from '../../support/service/api-client.ts';
import { expectError, expectPage } from '../../support/service/envelope.ts';
import { startLocalApi } from '../../support/service/local-api.ts';
import { describeOnBothEngines } from '../../support/warehouse/engines.ts';
import { withOpened } from '../../support/with-opened.ts';

describeOnBothEngines('the audit log', (open) => {
  const api = withOpened(() => startLocalApi({ open }));

  const RECORDS: [actor: string, action: AuditAction, target: string, at: string][] = [
    ['key_1', 'metric.create', 'met_1', '2026-01-30T23:59:59.999Z'],
    ['key_2', 'values.change', 'met_1', '2026-01-31T00:00:00Z'],
    ['key_1', 'values.change', 'met_2', '2026-01-31T23:59:59.999Z'],
    ['key_1', 'values.change', 'met_1', '2026-02-01T00:00:00Z'],
  ];

  it('is filtered by actor, action, target and days, in pages', async () => {
    const { orgId, secret } = await api.newTenant();
    for (const [id, action, target, at] of RECORDS)
      await api.warehouse.session((session) =>
        audit(
          session,
          orgId,
          { actor: { type: 'key', id, name: 'Finance' }, action, target, detail: {} },
          new Date(at),
        ),
      );
    const caller = as(api, secret);
    /** Returns which of the records a filter finds, newest first, in pages of one. */
    const found = async (query: string): Promise<number[]> => {
      const numbers: number[] = [];
      let cursor = '';
      do {
        const answer = await caller.get<{ at: string }[]>(`/audit-log?limit=1&${query}${cursor}`);
        const { items, next } = expectPage(answer);
        numbers.push(
          ...items.map(({ at }) => RECORDS.findIndex((record) => Date.parse(record[3]) === Date.parse(at))),
        );
        cursor = next === null ? '' : `&cursor=${next}`;
      } while (cursor !== '');
      return numbers;
    };
    expect(await found('actor=key_1')).toEqual([3, 2, 0]);
    expect(await found('action=values.change')).toEqual([3, 2, 1]);
    expect(await found('target=met_1')).toEqual([3, 1, 0]);
    expect(await found('start=2026-01-31&end=2026-01-31')).toEqual([2, 1]);
    expect(await found('end=2026-01-30')).toEqual([0]);
    expect(
      await found('start=2026-01-31&end=2026-02-01&actor=key_1&action=values.change&target=met_1'),
    ).toEqual([3]);
    expect(await found('actor=met_1')).toEqual([]);
    const { secret: other } = await api.newTenant();
    expect(expectPage(await as(api, other).get<object[]>('/audit-log?target=met_1')).items).toEqual([]);
  });

  it('rejects filters that cannot be meant', async () => {
    const caller = as(api, (await api.newTenant()).secret);
    for (const [query, problem] of [
      ['actor=', /^actor: expected an id/],
      ['target=met_1&target=met_2', /^target: expected an id/],
      ['action=metric', /^action: expected one of organisation\.create, .*, webhook\.delete, got "metric"/],
      ['start=2026-02-30', /^start: expected a day as YYYY-MM-DD/],
      ['start=2026-02-02&end=2026-02-01', /^end: expected a day not before start, got "2026-02-01"/],
      ['since=2026-02-02', /since/],
    ] as const)
      expectError(await caller.get(`/audit-log?${query}`), 400, problem);
  });
});
