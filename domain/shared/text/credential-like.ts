/** Beginnings and marks of credentials: keys in PEM, of this service, of clouds and platforms, tokens, and signed URLs. */
const MARKS = [
  /-----BEGIN|private_key|client_secret/i,
  /\b(?:rk|sk)_(?:live|test)_|\bwhsec_|\bca_[\w-]{20}|\bgh[opsu]_|\bxox[abp]-|\bAIza/,
  /\b(?:AKIA|ASIA)[A-Z0-9]{12}/,
  /\beyJ[\w-]{8}|\bBearer\s+\S/i,
  /:\/\/[^/\s]*@/,
  /[?&](?:sig|signature|token|password|x-amz-signature|x-goog-signature|awsaccesskeyid)=/i,
];

/** A long word of random characters. Ids have no capitals. */
const LONG_WORD = /[A-Za-z0-9+_=-]{32,}/g;

/** Whether a text looks like a credential, or holds one. Names, periods, ids and paths do not. */
export const mayBeCredential = (text: string): boolean =>
  MARKS.some((mark) => mark.test(text)) ||
  [...text.matchAll(LONG_WORD)].some(([word]) => /[A-Z]/.test(word) && /[a-z]/.test(word) && /\d/.test(word));
