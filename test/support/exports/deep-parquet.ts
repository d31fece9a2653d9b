/** Returns a Parquet file without rows: only a footer, in Thrift's compact protocol. Its column lies within `levels` groups. */
export function deepParquet(levels: number): Buffer {
  const group = (name: string): Buffer => element(name, [0x15, ...zigzag(1)]);
  const schema = [group('root'), ...Array.from({ length: levels }, () => group('a')), element('z', [], 2)];
  const footer = Buffer.concat([
    Buffer.from([0x15, ...zigzag(1), 0x19, 0xfc, ...varint(schema.length)]),
    ...schema,
    Buffer.from([0x16, ...zigzag(0), 0x19, 0x0c, 0x00]),
  ]);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(footer.length);
  return Buffer.concat([Buffer.from('PAR1'), footer, length, Buffer.from('PAR1')]);
}

/** Returns an optional element of the schema: its type, repetition, name, and the field of its children. */
const element = (name: string, children: readonly number[], type?: number): Buffer =>
  Buffer.from([
    ...(type === undefined ? [0x35] : [0x15, ...zigzag(type), 0x25]),
    ...zigzag(1),
    0x18,
    ...varint(name.length),
    ...Buffer.from(name),
    ...children,
    0x00,
  ]);

const varint = (value: number): number[] =>
  value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >> 7)];

const zigzag = (value: number): number[] => varint(value << 1);
