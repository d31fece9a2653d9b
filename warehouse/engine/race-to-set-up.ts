/**
 * Does `work` again until it succeeds, at most `attempts` times, and then throws what failed last. Nodes that start at once
 * all set up a DuckLake: all but one fail, and find it done when they look again.
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
