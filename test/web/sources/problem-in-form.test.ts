import { expect, it } from 'vitest';
import { NO_CREDENTIALS } from '../../../web/sources/credentials/credential-fields.ts';
import { fieldOfProblem, inWordsOfForm } from '../../../web/sources/connect/problem-in-form.ts';

const WRONG_SIGNATURE =
  'location: the storage account acme refuses the sas_token or account_key: copy it again, and check the account in the location';

const azure = (filled: Record<string, string>) =>
  ({ place: 'azure', type: 'azure', credentials: { ...NO_CREDENTIALS, ...filled } }) as const;

it('a problem of credentials stands at the field that is filled in', () => {
  expect(fieldOfProblem(WRONG_SIGNATURE, azure({ sas_token: 'sig=x' }))).toBe('credentials.sas_token');
  expect(fieldOfProblem(WRONG_SIGNATURE, azure({ account_key: 'x' }))).toBe('credentials.account_key');
  expect(fieldOfProblem('credentials: expected either sas_token or account_key', azure({}))).toBe(
    'credentials.sas_token',
  );
});

it('a problem of a location stands there, unless it names the host of the endpoint', () => {
  const missing = 'location: the storage account acme has no container bills: check the location';
  expect(fieldOfProblem(missing, azure({ sas_token: 'sig=x' }))).toBe('location');
  const closed = '127.0.0.1:9 cannot be reached (ECONNREFUSED): check the address';
  expect(fieldOfProblem(closed, azure({ endpoint: 'http://127.0.0.1:9' }))).toBe('credentials.endpoint');
  expect(fieldOfProblem(closed, azure({ endpoint: 'http://127.0.0.2:9' }))).toBeNull();
  expect(fieldOfProblem('the newest charge is of 2025-03-31', azure({}))).toBeNull();
});

it('a problem has the words of the form instead of the names of the API', () => {
  expect(inWordsOfForm(WRONG_SIGNATURE, azure({}))).toMatch(
    /refuses the “Shared access signature \(SAS\)” or “Access key of the storage account”: copy it again/,
  );
  expect(
    inWordsOfForm('a.csv: this is Azure cost details; make the source an azure_cost one', azure({})),
  ).toBe('a.csv: this is Azure cost details; choose “Cost and usage details (amortized or actual)” above');
  expect(inWordsOfForm('a.csv: this is AWS CUR; make the source an aws_cur one', azure({}))).toBe(
    'a.csv: this is AWS CUR; choose “AWS Cost and Usage Report” above',
  );
  expect(
    inWordsOfForm(
      'credentials: expected {"type":"token","token":...} to read GitHub, got none; set them for the source',
      { place: 'ai', type: 'token' },
    ),
  ).toBe('expected a token to read GitHub, got none; paste it here');
});
