/**
 * Runs `work` until it succeeds, at most `attempts` times. Then throws the last error. If several nodes start at once, each tries
 * to set up the DuckLake. One succeeds. The others fail, and find the work done when they try again.
 */
export const raceToSetUp = async (attempts: number, work: () => Promise<unknown>): Promise<void> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await work();
      return;
    } catch (error) {
      if (attempt >= attempts) throw error;
    }
  }
};
