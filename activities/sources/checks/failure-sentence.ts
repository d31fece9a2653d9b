import { Outage, ServiceError } from '../../../domain/shared/errors.ts';
import { cut } from '../../../domain/shared/text/for-message.ts';
import { hideSecrets } from '../../../warehouse/engine/hide-secrets.ts';

/** Removes from the message of an ingest what a check need not say. */
const withoutIngest = (message: string): string =>
  message
    .replace(/: nothing was loaded\. /, ': ')
    .replace(/[;:,] nothing was loaded\.?/, '')
    .trim();

const LONGEST = 500;

/** Matches the messages of DuckDB about files that it cannot read. */
const OF_FILES = /^(?:HTTP|IO|Invalid Input|Conversion|Permission|Serialization) Error: |^HTTP error/;

/**
 * Returns what a failure of an ingest means for whoever sets a source up. Throws an error that is the service's own.
 */
export function failureSentence(error: unknown): string {
  if (!(error instanceof Error)) throw error;
  hideSecrets(error);
  const { message } = error;
  if (error instanceof ServiceError || error instanceof Outage) return advised(withoutIngest(message));
  if (!OF_FILES.test(message)) throw error;
  const [first = ''] = message.split('\n');
  return `the files cannot be read: ${cut(first.replace(/\?[^\s']*/g, ''), LONGEST)}`;
}

/** What to do, for messages of ingests that say only what was found. */
const ADVICE: readonly { about: RegExp; advice: string }[] = [
  {
    about: /mandatory column .* is missing$/,
    advice: 'add the column to the export, or choose the kind of source that reads these files',
  },
  {
    about: /cannot be reached \(\w+\)$/,
    advice: 'check the address, and whether a firewall keeps the service from it',
  },
  { about: /does not resolve$/, advice: 'check the address for a typing error' },
  { about: /every file is empty$/, advice: 'wait until the export has written its first rows' },
  {
    about: /rows cannot be read, more than/,
    advice: 'correct the export, or choose the kind of source that reads these files',
  },
];

function advised(message: string): string {
  const known = ADVICE.find(({ about }) => about.test(message));
  return known === undefined ? message : `${message.replace(/[.:;]$/, '')}: ${known.advice}`;
}
