/**
 * Returns the results of work that runs at the same time, in order. All of it has ended when this returns or throws, so that none
 * goes on with what the caller gives back.
 */
export async function sideBySide<Work extends readonly unknown[]>(
  work: readonly [...Work],
): Promise<{ -readonly [Key in keyof Work]: Awaited<Work[Key]> }> {
  await Promise.allSettled(work);
  return Promise.all(work);
}
