/** Returns a tag key in the form for comparison as SQL, like `tagKeyOf` (domain/spend/spend-pick.ts). */
export const tagKeySql = (cloud: string, tagKey: string): string =>
  `CASE ${cloud} WHEN 'azure' THEN lower(${tagKey}) ELSE ${tagKey} END`;
