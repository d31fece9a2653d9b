/** One of the two sets of costs that Azure exports: as invoiced, or with commitments spread over what they cover. */
export type CostSet = 'actual' | 'amortised';

/** Returns the set of an export by the type in its manifest, such as `AmortizedCost`, or by the name of its folder or file. */
export function costSetOf(type: string | null, name: string): CostSet | null {
  if (type !== null)
    return /^amorti[sz]ed/i.test(type) ? 'amortised' : /^actual/i.test(type) ? 'actual' : null;
  const [own = ''] = name
    .split('/')
    .filter((part) => SET_NAME.test(part))
    .slice(-1);
  if (own === '') return null;
  return /amorti/i.test(own) ? 'amortised' : 'actual';
}

/** Such a word begins after what is no letter, or with an upper-case letter. */
const SET_NAME = /(^|[^a-zA-Z])([aA]morti[sz]|AMORTI[SZ]|[aA]ctual|ACTUAL)|[a-z](Amorti[sz]|Actual)/;
