import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type * as Numbers from '../../../web/shared/numbers.ts';

/** The module in a browser of the United States. It keeps formats, so that this is an instance of its own. */
let shown: typeof Numbers;
const OWN_INSTANCE = '../../../web/shared/numbers.ts?own';

beforeAll(async () => {
  const { NumberFormat } = Intl;
  vi.spyOn(Intl, 'NumberFormat').mockImplementation(function (_, options) {
    return new NumberFormat('en-US', options);
  });
  shown = (await import(OWN_INSTANCE)) as typeof Numbers;
});

afterAll(() => vi.restoreAllMocks());

describe('numbers on pages', () => {
  it('of money have the digits of its currency', () => {
    expect(shown.moneyText(1234.5, 'USD')).toBe('$1,234.50');
    expect(shown.moneyText(-0.004, 'USD')).toBe('-$0.00');
    expect(shown.moneyText(1234.5, 'JPY')).toBe('¥1,235');
  });

  it('of money in what is no currency of ISO 4217 end with its name', () => {
    expect(shown.moneyText(12.345, 'USDC')).toBe('12.35 USDC');
  });

  it('of a unit cost below one have three significant digits', () => {
    expect(shown.unitCostText(12.3456, 'USD')).toBe('$12.35');
    expect(shown.unitCostText(0.2, 'USD')).toBe('$0.200');
    expect(shown.unitCostText(0.00012345, 'USD')).toBe('$0.000123');
    expect(shown.unitCostText(-0.5, 'USD')).toBe('-$0.500');
    expect(shown.unitCostText(0, 'USD')).toBe('$0.00');
  });

  it('of axes are short', () => {
    expect(shown.shortMoneyText(12_345, 'USD')).toBe('$12.3K');
    expect(shown.shortQuantityText(1_234_567)).toBe('1.23M');
  });

  it('of counts name one or several things', () => {
    expect(shown.countText(1, 'row')).toBe('1 row');
    expect(shown.countText(0, 'row')).toBe('0 rows');
    expect(shown.countText(1_200, 'value')).toBe('1,200 values');
  });

  it('of percents come from percent points, and changes have a sign', () => {
    expect(shown.percentText(12.54)).toBe('12.5%');
    expect(shown.percentText(100)).toBe('100%');
    expect(shown.changeText(8)).toBe('+8.0%');
    expect(shown.changeText(-33.33)).toBe('-33.3%');
    expect(shown.changeText(0)).toBe('0.0%');
  });

  it('have every digit on hover', () => {
    expect(shown.exactText(1234.000001)).toBe('1,234.000001');
  });

  it('of bytes have the unit that suits them', () => {
    expect(shown.sizeText(0)).toBe('0 byte');
    expect(shown.sizeText(999)).toBe('999 byte');
    expect(shown.sizeText(1_500)).toBe('1.5 kB');
    expect(shown.sizeText(2_340_000_000)).toBe('2.3 GB');
    expect(shown.sizeText(5e15)).toBe('5,000 TB');
  });
});
