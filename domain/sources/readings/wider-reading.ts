/** Ends a reading that must begin again with more files (reading-plan.ts), before it has stored anything. */
export class WiderReading extends Error {
  override readonly name = 'WiderReading';
}
