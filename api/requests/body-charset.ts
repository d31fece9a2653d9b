/** Whether a content type names UTF-8, in any spelling, or no charset. */
export const isUtf8Type = (type: string): boolean => {
  const [, ...parameters] = type.split(';').map((part) => part.replaceAll(/\s/g, '').toLowerCase());
  return parameters
    .filter((parameter) => parameter.startsWith('charset'))
    .every((charset) => /^charset="?utf-?8"?$/.test(charset));
};
