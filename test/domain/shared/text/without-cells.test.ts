import { describe, expect, it } from 'vitest';
import { withoutCells } from '../../../../domain/shared/text/without-cells.ts';

describe('a message for the log', () => {
  it.each([
    [
      'query: 2026-01-15: value: expected a number, got "12,34-zeta": return a number, or leave the row out',
      'query: 2026-01-15: value: expected a number, got …',
    ],
    [
      "Conversion Error: Could not convert string 'quasi-4711' to DOUBLE\nLINE 1: SELECT 98765.4321",
      'Conversion Error: Could not convert string … to DOUBLE',
    ],
    ['label "Elena \\"the cook\\" Kraus" is unknown', 'label … is unknown'],
    ['a text that is cut: "abcdef…', 'a text that is cut: …'],
    [
      'account had 1234 EUR in 2026-01, and has only 0.5 EUR left',
      'account had … EUR in 2026-01, and has only … EUR left',
    ],
    [
      'answered 302: a redirect to https://example.com/a?token=b is not followed',
      'answered 302: a redirect to https://example.com/a?… is not followed',
    ],
    ["the feed's days don't overlap", "the feed's days don't overlap"],
    ['connect ECONNREFUSED 127.0.0.1:9', 'connect ECONNREFUSED 127.0.0.1:9'],
  ])('repeats no cell, label, amount or query: %s', (message, logged) => {
    expect(withoutCells(message)).toBe(logged);
  });
});
