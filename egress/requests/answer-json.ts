import { costlyJson } from '../../domain/shared/json-cost.ts';

/**
 * Returns the JSON of an answer; undefined for another text, and for JSON that costs far more than its bytes.
 *
 * @param mostItems the most items and fields.
 */
export function answerJson(text: string, mostItems: number): unknown {
  if (costlyJson(Buffer.from(text), mostItems) !== null) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
