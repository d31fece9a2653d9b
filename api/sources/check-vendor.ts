import { invalid } from '../../domain/shared/errors.ts';
import { forMessage } from '../../domain/shared/text/for-message.ts';
import { vendorPlace, VENDORS } from '../../domain/sources/vendors/vendors.ts';
import type { CostSource } from '../../warehouse/sources/cost-sources.ts';

/** Rejects a location that is none of the source's vendor, and a vendor that bills in another currency than the organisation's. */
export function checkVendor(
  { kind, location, options }: Pick<CostSource, 'kind' | 'location' | 'options'>,
  currency: string,
): void {
  if (kind !== 'ai_tools' || !('vendor' in options) || options.vendor === undefined) return;
  const { name, location: expected, currency: billed } = VENDORS[options.vendor];
  if (vendorPlace(options.vendor, location) === null)
    throw invalid(`location: ${expected}, got ${forMessage(location)}`);
  if (billed !== currency)
    throw invalid(
      `options.vendor: ${name} bills in ${billed}, and the organisation's currency is ${currency}; money is never converted`,
    );
}
