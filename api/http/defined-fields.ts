type Without<T, Absent> = { [Name in keyof T]?: Exclude<T[Name], Absent> };

/** Returns the fields of a partial body that are present. An absent field leaves the stored one unchanged. */
export const without = <T extends object, Absent>(fields: T, absent: Absent): Without<T, Absent> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== absent)) as Without<T, Absent>;
