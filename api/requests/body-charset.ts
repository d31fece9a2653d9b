/** Whether a content type names no charset but UTF-8, however it is written. */
export const isUtf8Type = (type: string): boolean => {
  const [, ...parameters] = type.split(';').map((part) => part.replaceAll(/\s/g, '').toLowerCase());
  return parameters
    .filter((parameter) => parameter.startsWith('charset'))
    .every((charset) => /^charset="?utf-?8"?$/.test(charset));
};
