import { z } from 'zod';
import { invalid } from '../../shared/errors.ts';
import { restrictedKeyProblem } from './restricted-key.ts';

/** The account that a restricted key opens. */
export const STRIPE_CONNECTION = {
  definition: z.strictObject({ type: z.literal('stripe') }),
  ownTextRules: [],
  credential: {
    field: 'api_key',
    description: 'A restricted key that may read balance transactions',
    toStored: (sent: unknown): string => {
      if (typeof sent !== 'string') throw invalid('api_key: expected a restricted key of Stripe');
      const problem = restrictedKeyProblem(sent);
      if (problem !== null) throw invalid(`api_key: ${problem}`);
      return sent;
    },
  },
};
