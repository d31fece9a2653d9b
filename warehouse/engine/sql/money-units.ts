// Converts money to whole units of 10⁻¹⁵ in 128 bits, to divide it exactly, and back.

/** SQL for a decimal of fixed scale as the whole number of its smallest units. */
export const unitsOf = (decimal: string): string =>
  `CAST(replace(CAST(${decimal} AS VARCHAR), '.', '') AS HUGEINT)`;

/** SQL for whole units of 10⁻¹⁵ as money. It has two parts, because no cast takes all 38 digits at once. */
export const moneyOfUnits = (units: string): string =>
  `CAST(CAST(${units} // 1000000000000000 AS DECIMAL(23,0)) AS DECIMAL(38,15))
      + CAST(CAST(${units} % 1000000000000000 AS DECIMAL(15,0)) * 0.000000000000001 AS DECIMAL(38,15))`;
