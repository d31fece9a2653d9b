import type { ReactNode } from 'react';
import { Card } from '../../shared/card.tsx';
import { RadioGroup } from '../../shared/forms/radio-group.tsx';
import type { Place } from './place-names.ts';
import { PLACES, waysOf } from './ways.ts';

/** Asks how spend comes from a place. Shows nothing if there is one way only. */
export function WayChoice({
  place,
  value,
  onChange,
}: {
  place: Place;
  value: string;
  onChange: (way: string) => void;
}): ReactNode {
  const ways = Object.entries(waysOf(place));
  const { question } = PLACES[place];
  if (ways.length === 1) return null;
  return (
    <Card title={question}>
      <RadioGroup
        aria-label={question}
        choices={Object.fromEntries(
          ways.map(([name, { label, description }]) => [name, { label, description }]),
        )}
        value={value}
        onChange={onChange}
      />
    </Card>
  );
}
