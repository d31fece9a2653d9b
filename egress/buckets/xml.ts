/** Texts of the simple XML in which object storages answer. A search for both marks takes linear time on any text. */

/** Returns the contents of the elements of a name, which have neither attributes nor each other. */
export const elementsOf = (xml: string, name: string): string[] =>
  xml
    .split(`<${name}>`)
    .slice(1)
    .map((rest) => upTo(rest, `</${name}>`));

/** Returns the text of the first element of a name; empty without one. */
export function textOf(xml: string, name: string): string {
  const at = xml.indexOf(`<${name}>`);
  return at === -1 ? '' : unescaped(upTo(xml.slice(at + name.length + 2), `</${name}>`));
}

function upTo(text: string, mark: string): string {
  const end = text.indexOf(mark);
  return end === -1 ? '' : text.slice(0, end);
}

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const unescaped = (text: string): string =>
  text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w{2,4}));/gi, (all, decimal, hex, name) => {
    if (typeof name === 'string') return NAMED[name] ?? all;
    const code = typeof hex === 'string' ? parseInt(hex, 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : all;
  });
