import { isCancellation, proxySinks, type WorkflowInterceptors } from '@temporalio/workflow';
import type { ResultSinks } from '../contract.ts';

const { results } = proxySinks<ResultSinks>();

/** Reports to the worker how each workflow ends, for its metrics. The bundle includes these interceptors. */
export const interceptors = (): WorkflowInterceptors => ({
  inbound: [
    {
      execute: async (input, next) => {
        try {
          const output = await next(input);
          results.ended('completed');
          return output;
        } catch (error) {
          results.ended(isCancellation(error) ? 'cancelled' : 'failed');
          throw error;
        }
      },
    },
  ],
});
