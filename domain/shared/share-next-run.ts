/**
 * Returns a function that runs `work` at most once at a time. Calls that arrive during a run share the next one: it starts
 * after all of them, and gets the items of all of them. If a run fails, the calls that share it fail, and the next run starts.
 */
export function shareNextRun<Item, Result>(
  work: (items: readonly Item[]) => Promise<Result>,
): (item: Item) => Promise<Result> {
  let running: Promise<void> | null = null;
  let next: { items: Item[]; result: Promise<Result> } | null = null;

  const start = (items: readonly Item[]): Promise<Result> => {
    const result = work(items);
    const ended = (): void => {
      running = null;
    };
    running = result.then(ended, ended);
    return result;
  };

  return (item) => {
    if (next === null) {
      if (running === null) return start([item]);
      const items: Item[] = [];
      const result = running.then(() => {
        next = null;
        return start(items);
      });
      next = { items, result };
    }
    next.items.push(item);
    return next.result;
  };
}
