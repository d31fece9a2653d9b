import { Context } from '@temporalio/activity';
import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, it } from 'vitest';
import { stayAlive, withHeartbeats } from '../../../activities/shared/with-heartbeats.ts';
import { waitFor } from '../../support/service/api-client.ts';

it('reports an attempt before and after its own work reports, and repeats the last report', async () => {
  const environment = new MockActivityEnvironment({ isLocal: false });
  const reports: unknown[] = [];
  environment.on('heartbeat', (report: unknown) => reports.push(report));
  const reported = (rowsRead: number, since = 0) =>
    waitFor(async () =>
      JSON.stringify(reports.slice(since)).includes(JSON.stringify({ rowsRead })) ? true : undefined,
    );
  const result = await environment.run(() => {
    const { execute } = stayAlive(Context.current()).inbound ?? {};
    if (execute === undefined) throw new Error('expected an interceptor');
    return execute({ args: [], headers: {} }, async () => {
      // A slow first statement.
      await reported(0);
      await withHeartbeats([], async ({ report }) => {
        report(17);
        await waitFor(async () => (reports.length > 3 ? true : undefined));
        const worked = reports.slice(reports.findIndex((one) => JSON.stringify(one) === '{"rowsRead":17}'));
        expect(new Set(worked.map((one) => JSON.stringify(one)))).toEqual(new Set(['{"rowsRead":17}']));
      });
      // A slow last statement.
      await reported(17, reports.length);
      return 'done';
    });
  });
  expect(result).toBe('done');
});
