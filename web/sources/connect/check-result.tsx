import { Alert, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Schema } from '../../http/api.ts';
import { SentencesAlert } from '../../shared/sentences.tsx';
import { Fact, Facts } from '../../shared/tables/facts.tsx';
import { foundWords } from './found-words.ts';

/** What a look at the source found, what to change before it can be read, and what to know. */
export const CheckResult = ({
  check: { ok, problems, warnings, found },
}: {
  check: Schema<'CheckedSource'>;
}): ReactNode => (
  <Stack gap="sm">
    <SentencesAlert color="red" title="Change this first" words={problems} />
    <SentencesAlert color="yellow" title="Know this before you connect it" words={warnings} />
    {foundWords(found).length > 0 && (
      <Alert color={ok ? 'green' : 'gray'} title={ok ? 'This can be read' : 'Found so far'}>
        <Facts label="What was found">
          {foundWords(found).map(({ name, words }) => (
            <Fact key={name} name={name}>
              {words}
            </Fact>
          ))}
        </Facts>
      </Alert>
    )}
  </Stack>
);
