/** Whether a content type names no charset, or UTF-8. */
export const isUtf8Type = (type: string): boolean => {
  const [, ...parameters] = type.split(';').map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='));
  return charset === undefined || /^charset="?utf-?8"?$/.test(charset);
};
