import { Context } from '@temporalio/activity';
import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, it } from 'vitest';
import { stayAlive, withHeartbeats } from '../../../activities/shared/with-heartbeats.ts';
import { waitFor } from '../../support/service/api-client.ts';

it('reports an attempt from its beginning to its end, first what the attempt before has reported', async () => {
  const environment = new MockActivityEnvironment({ isLocal: false, heartbeatDetails: { rowsRead: 5 } });
  const reports: string[] = [];
  environment.on('heartbeat', (report: unknown) => reports.push(JSON.stringify(report)));
  const reported = (rowsRead: number, times: number) =>
    waitFor(async () =>
      reports.filter((report) => report === JSON.stringify({ rowsRead })).length >= times ? true : undefined,
    );
  const result = await environment.run(() => {
    const { execute } = stayAlive(Context.current()).inbound ?? {};
    if (execute === undefined) throw new Error('expected an interceptor');
    return execute({ args: [], headers: {} }, async () => {
      // A slow first statement, also within work that reads no rows.
      await withHeartbeats([], () => reported(5, 2));
      // A report, which is repeated also during a slow last statement.
      await withHeartbeats([], ({ report }) => {
        report(17);
        return reported(17, 2);
      });
      await reported(17, 4);
      return 'done';
    });
  });
  expect(result).toBe('done');
  expect(reports.indexOf('{"rowsRead":17}')).toBeGreaterThanOrEqual(2);
  expect(new Set(reports)).toEqual(new Set(['{"rowsRead":5}', '{"rowsRead":17}']));
});
