import { isIP, type LookupFunction } from 'node:net';

/** A `lookup` for one connection that answers with the addresses that were checked, whatever is asked. */
export function pinnedLookup(addresses: readonly string[]): LookupFunction {
  const answers = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_hostname, options, callback) => {
    const [first] = answers;
    if (options.all === true || first === undefined) callback(null, answers);
    else callback(null, first.address, first.family);
  };
}
