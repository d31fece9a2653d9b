/** Texts of a run that stand for others in the examples, such as the path of a folder. */
export type StandIns = Readonly<Record<string, string>>;

const ID = /\b(org|key|src|met|imp|team|shc|whk|ses|run|evt|msg|dlv)_[0-9a-f]{32}\b/g;
const UUID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;
const KEY = /\bca_[0-9a-f]{32}_[A-Za-z0-9_-]{43}/g;
const WEBHOOK_SECRET = /\bwhsec_[A-Za-z0-9+/=]+/g;
const CURSOR = /"next_cursor":"([A-Za-z0-9_-]+)"/g;

/** The items of a list that an example shows. */
const SHOWN_ITEMS = 2;

/**
 * Returns what makes examples the same in each run: ids are numbered in the order in which they appear, and secrets are made up.
 * A list keeps its first items.
 */
export function newStableText(standIns: StandIns) {
  const numbers = new Map<string, number>();
  const numberOf = (id: string): string => {
    const number = numbers.get(id) ?? numbers.size + 1;
    numbers.set(id, number);
    return String(number).padStart(12, '0');
  };
  const stable = (text: string): string => {
    let result = text.replace(CURSOR, (_, cursor: string) => {
      const position = stable(Buffer.from(cursor, 'base64url').toString());
      return `"next_cursor":"${Buffer.from(position).toString('base64url')}"`;
    });
    for (const [found, shown] of Object.entries(standIns)) result = result.replaceAll(found, shown);
    return result
      .replace(KEY, `ca_${'0'.repeat(32)}_${'A'.repeat(43)}`)
      .replace(WEBHOOK_SECRET, `whsec_${'A'.repeat(32)}`)
      .replace(ID, (id, kind: string) => `${kind}_019c36b80000700080000${numberOf(id).slice(1)}`)
      .replace(UUID, (id) => `019c36b8-0000-7000-8000-${numberOf(id)}`);
  };
  return <Value>(value: Value): Value => shortened(JSON.parse(stable(JSON.stringify(value)))) as Value;
}

function shortened(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, SHOWN_ITEMS).map(shortened);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shortened(item)]));
}
