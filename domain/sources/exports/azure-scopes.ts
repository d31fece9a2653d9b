/**
 * Whether one scope of Azure can be within another: a resource group is within its subscription. Any subscription can be within a
 * billing account or a management group. Both scopes then report the same charges.
 */
export function canBeWithin(inner: string | null, outer: string | null): boolean {
  if (inner === null || outer === null) return false;
  const [one, other] = [inner, outer].map((scope) => `${scope.toLowerCase().replace(/\/+$/, '')}/`);
  if (one === undefined || other === undefined || one === other) return false;
  return one.startsWith(other) || (one.startsWith(SUBSCRIPTIONS) && !other.startsWith(SUBSCRIPTIONS));
}

const SUBSCRIPTIONS = '/subscriptions/';
