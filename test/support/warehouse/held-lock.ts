/** Work that holds a lock until the test ends it. */
export function held() {
  let end = (): void => undefined;
  let begun = (): void => undefined;
  const hasBegun = new Promise<void>((resolve) => (begun = resolve));
  const mayEnd = new Promise<void>((resolve) => (end = resolve));
  return {
    work: async (confirm: () => Promise<void>): Promise<void> => {
      begun();
      await mayEnd;
      await confirm();
    },
    hasBegun,
    end: () => {
      end();
    },
  };
}
