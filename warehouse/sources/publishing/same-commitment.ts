/** Returns the SQL of what a key ends with. AWS names a commitment by its ARN, or only by the last part of it. */
const lastPartOf = (key: string): string => `regexp_extract(${key}, '[^/:]*$')`;

/** Whether a purchased and a covering commitment are one. Two whole paths can end alike and differ, as in two projects. */
export const IS_SAME_COMMITMENT = `${lastPartOf('purchased.commitment')} = ${lastPartOf('covering.commitment')}
  AND (purchased.commitment = covering.commitment
    OR ${lastPartOf('purchased.commitment')} IN (purchased.commitment, covering.commitment))`;
