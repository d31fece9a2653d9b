/** Returns the organisation of an activity, whose first argument is or has its id. Maintenance has no organisation. */
export function organisationOf([first]: readonly unknown[]): string {
  if (typeof first === 'string') return first;
  const { orgId } = (first ?? {}) as { orgId?: unknown };
  return typeof orgId === 'string' ? orgId : '';
}
