import Big from 'big.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  changePercent,
  fitsValueDecimals,
  LARGEST_VALUE,
  moneyText,
  quotient,
  toWire,
  valueText,
  valueToWire,
} from '../../../domain/shared/decimals.ts';
import { SEED } from '../../support/effort.ts';

describe('money on the wire', () => {
  it.each([
    ['12.340000000000000', 12.34],
    ['0.000000500000000', 0.000001], // exactly half a millionth rounds away from zero
    ['0.000000499999999', 0],
    ['-0.000000500000000', -0.000001],
    ['2.675000500000000', 2.675001], // as a double it would lie below the half
    ['1.000001500000000', 1.000002],
    ['-1.000001500000000', -1.000002],
    ['99999999.123456499999999', 99999999.123456],
  ])('%s is written as %f', (amount, shown) => {
    expect(toWire(amount)).toBe(shown);
  });

  it('has no minus sign if it rounds to 0', () => {
    expect(JSON.stringify(toWire('-0.000000100000000'))).toBe('0');
  });
});

describe('amounts in units', () => {
  it('are texts with all their decimals', () => {
    expect(moneyText(-1n)).toBe('-0.000000000000001');
    expect(moneyText(0n)).toBe('0.000000000000000');
    expect(moneyText(12_000_000_000_000_000n)).toBe('12.000000000000000');
    expect(valueText(-25_000_000_001n)).toBe('-2.5000000001');
  });
});

describe('values on the wire', () => {
  it('are rounded to ten decimals', () => {
    expect(valueToWire('0.0000000001')).toBe(1e-10);
    expect(valueToWire('3.3333333333')).toBe(3.3333333333);
    expect(valueToWire('0.00000000005')).toBe(1e-10);
  });

  it.each([
    [1e-10, true],
    [1e-11, false],
    [0.1, true],
    [0.1 + 0.2, false], // 0.30000000000000004 has seventeen
    [1.0000000001, true],
    [1.00000000001, false],
    [0, true],
    [LARGEST_VALUE, true],
    [123456.7890123456, true],
  ])('%f fits ten decimals: %s', (value, fits) => {
    expect(fitsValueDecimals(value)).toBe(fits);
  });
});

describe('quotients', () => {
  it('are those of Big, for any numbers and places', () => {
    const numbers = fc
      .tuple(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), fc.integer({ min: -20, max: 5 }))
      .map(([digits, exponent]) => Big(digits.toString()).times(`1e${exponent}`));
    const pairs = fc.tuple(numbers, numbers, fc.integer({ min: 0, max: 20 }));
    fc.assert(
      fc.property(pairs, ([dividend, divisor, places]) => {
        fc.pre(!divisor.eq(0));
        const Division = Big();
        Division.DP = places;
        Division.RM = Big.roundHalfUp;
        expect(quotient(dividend, divisor, places).toFixed()).toBe(
          Division(dividend).div(divisor).abs().eq(0) ? '0' : Division(dividend).div(divisor).toFixed(),
        );
      }),
      { seed: SEED },
    );
  });

  it('are rounded once, half away from zero', () => {
    expect(quotient(Big('1'), Big('8'), 2).toFixed()).toBe('0.13'); // 0.125
    expect(quotient(Big('-1'), Big('8'), 2).toFixed()).toBe('-0.13');
    expect(quotient(Big('2'), Big('3'), 6).toFixed()).toBe('0.666667');
    expect(quotient(Big('1'), Big('3'), 10).toFixed()).toBe('0.3333333333');
  });

  it('stay exact beyond the precision of doubles', () => {
    // 9007199254740993 = 2^53 + 1 is not a double. Divided by 1 it must stay the same.
    expect(quotient(Big('9007199254740993'), Big('1'), 6).toFixed()).toBe('9007199254740993');
    expect(quotient(Big('0.3'), Big('0.1'), 15).toFixed()).toBe('3');
  });

  it('do not change the precision of other divisions', () => {
    quotient(Big('1'), Big('3'), 1);
    expect(Big('1').div('3').toFixed()).toBe('0.33333333333333333333');
  });
});

describe('change in percent', () => {
  it.each([
    ['100', '110', 10],
    ['110', '100', -9.090909], // −10 ÷ 110
    ['3', '4', 33.333333],
    ['3', '5', 66.666667],
    ['-10', '-5', 50], // less of a credit is a rise: 5 ÷ |−10|
    ['-10', '5', 150],
    ['5', '0', -100],
    ['1', '1', 0],
  ])('from %s to %s is %f', (before, after, percent) => {
    expect(changePercent(before, after)).toBe(percent);
  });

  it('is null if an amount is missing, or the first one is 0', () => {
    expect(changePercent(null, '1')).toBeNull();
    expect(changePercent('1', null)).toBeNull();
    expect(changePercent('0', '1')).toBeNull();
    expect(changePercent('0.000000000000000', '1')).toBeNull();
  });
});
