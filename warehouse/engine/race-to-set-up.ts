/**
 * Retries `work` until it succeeds. After `attempts` failures throws the last error. If several nodes start at once, all set up
 * the DuckLake. All but one fail, and find it done when they try again.
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
