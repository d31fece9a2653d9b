/** A line of an uploaded file that the service refused. */
interface WrongLine {
  line: number;
  content: string;
  problem: string;
}

const LONGEST_SHOWN = 200;

/** Returns the lines that an error of the upload names (`line 3: …; line 7: …`), with their contents from the file. */
export async function wrongLines(file: File, message: string): Promise<WrongLine[]> {
  const problems = new Map(
    [...message.matchAll(/line (\d+): (.*?)(?=; line \d+: |$)/gs)].map(([, line, problem = '']) => [
      Number(line),
      problem,
    ]),
  );
  const last = Math.max(0, ...problems.keys());
  const found: WrongLine[] = [];
  let line = 0;
  for await (const content of linesOf(file)) {
    line += 1;
    const problem = problems.get(line);
    if (problem !== undefined) found.push({ line, content: content.slice(0, LONGEST_SHOWN), problem });
    if (line >= last) break;
  }
  return found;
}

/** Returns the encoding that the byte order mark of a file names. Spreadsheets also write UTF-16. */
async function encodingOf(file: File): Promise<string> {
  const [first, second] = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}

/** Reads a file line by line, so that a large one is never in memory. */
const linesOf = async function* (file: File): AsyncGenerator<string> {
  const reader = file
    .stream()
    .pipeThrough(new TextDecoderStream(await encodingOf(file)))
    .getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    const lines = (rest + value).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
};
