import fastifyAccepts from '@fastify/accepts';
import { parse } from 'csv-parse/sync';
import Fastify from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CSV, rowsType, sendTabular, tabularType } from '../../../../api/http/files/tabular.ts';

const TEXTS = [
  '@acme/web',
  '=1+1',
  '+49 30',
  '-5',
  "'quoted",
  'a,b',
  'say "hi"',
  'two\nlines',
  'a\rb',
  ' x ',
  'ü',
];

describe('a CSV answer', () => {
  const app = Fastify();
  beforeAll(async () => {
    await app.register(fastifyAccepts);
    const rows = () => ({
      columns: { text: 'VARCHAR', number: 'DECIMAL(38,6)' } as const,
      batches: (async function* () {
        yield await Promise.resolve(TEXTS.map((text) => ({ text, number: '-1.500000' })));
      })(),
    });
    app.get('/unchanged', (_, reply) => sendTabular(reply, CSV, 'texts', rows()));
    app.get('/safe', (_, reply) => sendTabular(reply, CSV, 'texts', rows(), 'spreadsheet'));
    app.get('/preferred', (request) => ({ type: tabularType(request) }));
    app.get('/file', (request) => ({ type: rowsType(request, [CSV]) }));
    await app.ready();
  });
  afterAll(() => app.close());

  const readFrom = async (url: string): Promise<{ text: string; number: string }[]> => {
    const { body } = await app.inject({ url });
    return parse(body, { columns: true });
  };

  it('repeats every text and number unchanged', async () => {
    expect(await readFrom('/unchanged')).toEqual(TEXTS.map((text) => ({ text, number: '-1.5' })));
  });

  it('for a spreadsheet puts an apostrophe before what would be a formula, and leaves numbers', async () => {
    const formulas = ['@acme/web', '=1+1', '+49 30', '-5'];
    expect(await readFrom('/safe')).toEqual(
      TEXTS.map((text) => ({ text: formulas.includes(text) ? `'${text}` : text, number: '-1.5' })),
    );
  });

  it.each([
    ['text/csv', CSV],
    ['text/csv;charset=utf-8', CSV],
    ['text/csv; charset="UTF-8"; header=present', CSV],
    ['text/csv;header=present', CSV],
    ['text/csv;charset=utf-16', null],
    ['text/csv;header=absent', null],
    ['application/json;charset=utf-8, text/csv;q=0.5', null],
    ['application/json;q=0.5, text/csv;charset=utf-8', CSV],
    ['*/*', null],
  ])('is the answer to Accept: %s if that asks for it: %s', async (accept, type) => {
    const { body } = await app.inject({ url: '/preferred', headers: { accept } });
    expect(JSON.parse(body)).toEqual({ type });
  });

  it('is a file for every way to ask for CSV', async () => {
    for (const accept of ['text/csv', 'text/csv;charset=utf-8', '*/*', 'text/*']) {
      const { body } = await app.inject({ url: '/file', headers: { accept } });
      expect({ accept, type: (JSON.parse(body) as { type: string }).type }).toEqual({ accept, type: CSV });
    }
  });
});
