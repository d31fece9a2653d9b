/**
 * Whether Azure bills whatever one scope has in another one, too: a resource group is within its subscription. Any subscription can
 * be within a billing account or a management group. Charges that both report then are the same ones.
 */
export function canBeWithin(inner: string | null, outer: string | null): boolean {
  if (inner === null || outer === null) return false;
  const [one, other] = [inner, outer].map((scope) => `${scope.toLowerCase().replace(/\/+$/, '')}/`);
  if (one === undefined || other === undefined || one === other) return false;
  return one.startsWith(other) || (one.startsWith(SUBSCRIPTIONS) && !other.startsWith(SUBSCRIPTIONS));
}

const SUBSCRIPTIONS = '/subscriptions/';
