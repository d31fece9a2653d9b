import type { ReactNode } from 'react';
import { UPLOAD } from '../../domain/sources/uploads/name-rule.ts';
import { Card } from '../shared/card.tsx';
import { Fact, Facts } from '../shared/tables/facts.tsx';
import { sentence } from '../shared/sentences.tsx';
import { RunWords } from './runs/run-words.tsx';
import { SourceCredentials, typeOfSource } from './credentials/source-credentials.tsx';
import { optionsOf, optionValue, SOURCE_KINDS, type OptionField } from './source-kinds.ts';
import { valuesOf } from './source-values.ts';
import { NOTHING_DELIVERED, type CostSource } from './sources-queries.ts';
import { useCurrentRun } from './runs/use-current-run.ts';

/** What a source is and reads, and how its last run went. */
export function AboutSource({ source }: { source: CostSource }): ReactNode {
  const run = useCurrentRun(source);
  const opensWith = typeOfSource(source);
  return (
    <Card title="About" minHeight={220}>
      <Facts label="About this source">
        <Fact name="Kind">{SOURCE_KINDS[source.kind].label}</Fact>
        <Fact name="Location">{source.location === UPLOAD ? 'Files that people send' : source.location}</Fact>
        {opensWith !== null && (
          <Fact name="Credentials">
            <SourceCredentials source={source} type={opensWith} />
          </Fact>
        )}
        {optionsOf(source.kind, valuesOf(source)).map((option) => (
          <Fact key={option.name} name={option.label}>
            {optionInWords(option, source)}
          </Fact>
        ))}
        <Fact name="Schedule">
          {source.schedule_paused ? 'Paused. Its spend stays, and no month waits for it.' : 'Read daily'}
        </Fact>
        <Fact name="Starts on">
          {source.starts_on ?? 'Not known. Months wait for days before those that it delivers.'}
        </Fact>
        <Fact name="Delivered through">{source.delivered_through ?? sentence(NOTHING_DELIVERED)}</Fact>
        <Fact name="Last run">
          <RunWords run={run} />
        </Fact>
      </Facts>
    </Card>
  );
}

function optionInWords(option: OptionField, source: CostSource): string {
  const value = optionValue(option, source);
  return value === '' ? (option.without ?? '') : (option.choices?.[value] ?? value);
}
