import { problemOf } from '../../http/problem-of-field.ts';
import {
  CREDENTIAL_FIELDS,
  type CredentialField,
  type EnteredCredentials,
} from '../credentials/credential-fields.ts';
import type { CredentialType } from '../../../domain/sources/credentials.ts';
import { SOURCE_KINDS, type SourceKind } from '../source-kinds.ts';
import { fieldOf } from '../source-values.ts';
import type { Place } from './place-names.ts';
import { waysOf } from './ways.ts';

/** What is chosen and filled in, as far as it decides where a problem belongs. */
interface FilledForm {
  place: Place;
  type: CredentialType | null;
  credentials: EnteredCredentials;
}

/** Texts of the API that say what to send, as what to fill in. */
const FILLED_IN: readonly (readonly [RegExp, string])[] = [
  [/\{"type":"token","token":\.\.\.\}/, 'a token'],
  [/set them for the source/, 'paste it here'],
  [/store \{"type": "google", "service_account": …\}/, 'paste its key here'],
];

/** Returns a problem with the words of the form instead of the names of the API. */
export function inWordsOfForm(problem: string, { place, type }: Pick<FilledForm, 'place' | 'type'>): string {
  let words = problem.replace(/\bmake the source an? (\w+) one\b/, (_, kind: string) =>
    chooseKind(place, kind),
  );
  for (const [text, instead] of FILLED_IN) words = words.replace(text, instead);
  for (const { name, label } of fieldsOf(type))
    if (name.includes('_')) words = words.replace(new RegExp(`(?<!")\\b${name}\\b`, 'g'), `“${label}”`);
  return words.replace(/^credentials(?:\.\w+)?: /, '');
}

function chooseKind(place: Place, kind: string): string {
  const way = Object.values(waysOf(place)).find((one) => one.kind === kind);
  const label = way?.label ?? (isKind(kind) ? SOURCE_KINDS[kind].label : kind);
  return `choose “${label}” above`;
}

const isKind = (text: string): text is SourceKind => Object.hasOwn(SOURCE_KINDS, text);

/**
 * Returns the field of the form to which a problem belongs; null if it belongs to none. A storage that refuses credentials is a problem
 * of the location to the API.
 */
export function fieldOfProblem(problem: string, { type, credentials }: FilledForm): string | null {
  const { field = null } = problemOf(problem) ?? {};
  if (field?.includes('.') === true) return fieldOf(field);
  const fields = fieldsOf(type);
  const isFilled = ({ name }: CredentialField): boolean => (credentials[name] ?? '').trim() !== '';
  const named = fields.filter(({ name }) => isNamed(name, problem, credentials));
  const one =
    named.find(isFilled) ??
    named[0] ??
    (field === 'credentials' || problem.includes('without credentials of its own') ? fields[0] : undefined);
  if (one !== undefined) return `credentials.${one.name}`;
  return field === null ? null : fieldOf(field);
}

const fieldsOf = (type: CredentialType | null): readonly CredentialField[] =>
  type === null ? [] : CREDENTIAL_FIELDS[type];

/** Whether a problem names a field of credentials, or the host of the endpoint that is filled in. */
function isNamed(name: string, problem: string, { endpoint = '' }: EnteredCredentials): boolean {
  if (name === 'endpoint') {
    const host = URL.canParse(endpoint.trim()) ? new URL(endpoint.trim()).host : '';
    return host !== '' && (problem.includes(host) || problem.includes(`"${host.replace(/:\d+$/, '')}"`));
  }
  return (name.includes('_') || name === 'region') && new RegExp(`\\b${name}\\b`).test(problem);
}
