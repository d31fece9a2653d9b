/** A number as people write it, with so many decimals; `-` where there is none. */
export const amountText = (amount: number | null, decimals = 2): string =>
  amount === null
    ? '-'
    : amount.toLocaleString('en-US', { minimumFractionDigits: decimals, maximumFractionDigits: decimals });

/** A change in percent with its sign; `-` where there is none. */
export const changeText = (percent: number | null): string =>
  percent === null ? '-' : `${percent > 0 ? '+' : ''}${amountText(percent, 1)} %`;
