type Without<T, Absent> = { [Name in keyof T]?: Exclude<T[Name], Absent> };

/** The fields of a partial body that are there, so that an absent one leaves what is stored alone. */
export const without = <T extends object, Absent>(fields: T, absent: Absent): Without<T, Absent> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== absent)) as Without<T, Absent>;
