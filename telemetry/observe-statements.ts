import type { Metrics } from './metrics.ts';
import type { StatementObserver } from './statement-observer.ts';

/** Measures the statements of a warehouse. */
export const observeStatements = ({
  statementDuration,
  sessionWait,
}: Pick<Metrics, 'statementDuration' | 'sessionWait'>): StatementObserver => ({
  began: (kind) => {
    const begun = performance.now();
    return () => {
      statementDuration.observe({ kind }, (performance.now() - begun) / 1000);
    };
  },
  waited: (seconds) => {
    sessionWait.observe(seconds);
  },
});
